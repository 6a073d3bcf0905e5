"""Floor 2, over report: AnalyScore (FinSphere, appendix A): eligibility, rubric, and the papers' published
numbers.
"""
