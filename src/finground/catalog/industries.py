"""Sectors and industries by name, as people say them.

`GROUPS` has a line for each: its names in one catalogue or another, best first, and after the bar other ways
to say it. A line that begins with more space goes on with the one before.
"""

from collections.abc import Iterable
from functools import cached_property

from finground.catalog.names import normal
from finground.core.errors import CatalogError

GROUPS = """
    technology; information technology | tech; it; techs; technology sector; big tech; high tech
    communication services; communications; telecommunications | communication; comms
    consumer discretionary; consumer cyclical; consumer goods | discretionary; consumer cyclicals; cyclicals
    consumer staples; consumer defensive; consumer goods | staples; consumer non cyclicals
    health care; healthcare | health; healthcare sector; medical
    financials; financial services; financial | finance; financial sector
    industrials; industrial goods | industrial; industry goods
    materials; basic materials | raw materials; commodities
    real estate | property; properties; realty; reit; reits; real estate investment trusts
    utilities | utility; power companies
    energy | energies
    semiconductors; semiconductors and semiconductor equipment | semiconductor; chip; chips; chip maker;
        chip makers; chipmaker; chipmakers; semi; semis
    semiconductor equipment; semiconductor materials and equipment | chip equipment; chip equipment makers;
        wafer fab equipment; fab equipment
    software; application software; systems software | saas; software makers; cloud; cloud computing;
        software as a service; cloud software
    cybersecurity; cyber security; systems software | cyber; security software; it security; network
        security
    it services; it consulting and other services; information technology services | it consulting; tech
        services; outsourcers; technology services
    computer hardware; technology hardware storage and peripherals; hardware | computers; pc makers;
        hardware makers; computer makers
    electronic components; electronic equipment | electronics; electronics makers; contract manufacturers
    communications equipment | networking; network equipment; telecom equipment; networking equipment
    measuring instruments; electronic equipment and instruments; instruments | instrument; test and
        measurement; sensors
    electronics distribution; technology distributors; electronic components | tech distributors;
        electronics distributors
    telecommunications; telecommunication services; integrated telecommunication services; telecom;
        communication services | telco; telcos; telecoms; phone companies; carriers; wireless; wireless
        carriers; mobile operators
    media; broadcasting; communication services | broadcaster; broadcasters; cable; cable operators; media
        groups
    publishing; media | publisher; publishers; newspapers
    advertising | ad; ad agencies; advertising agencies; ads; marketing
    video games; interactive home entertainment | games; gaming; game makers; game publishers; video game
        makers
    internet media; interactive media and services | internet; social media; social networks; online media;
        search engines
    entertainment; movies and entertainment | streaming; movies; streamers; theme parks; music; film studios
    automobiles; automobile manufacturers; auto manufacturers | auto; autos; automotive; car; cars; car
        maker; car makers; carmaker; carmakers; automaker; automakers; electric vehicles; electric car
        makers; ev; evs; ev makers; electric vehicle makers; vehicle makers
    auto parts; automotive parts and equipment; auto parts and equipment | auto part; car parts; auto
        suppliers; car parts makers; tire makers; tyre makers
    auto dealers; automotive retail; specialty retail | car dealers; auto dealer; car dealerships
    apparel; apparel accessories and luxury goods; textiles | clothing; clothes; fashion; footwear; shoes;
        shoe makers; sportswear; clothing makers
    luxury goods; luxury; apparel accessories and luxury goods | luxury good; luxury brands; jewelry;
        jewellers
    e commerce; internet and direct marketing retail; broadline retail | online retail; online retailers;
        ecommerce; e tail; internet retail; online shopping; marketplaces
    specialty retail; retail; retailers; retailing | retailer; store chains; shops; specialty retailers
    department stores; specialty retail | department store
    restaurants | restaurant; fast food; fast food chains; restaurant chains; eateries
    hotels; hotels resorts and cruise lines | hotel; hotel chains; hotel operators; lodging; hospitality
    travel; hotels resorts and cruise lines | cruise; cruise lines; online travel; travel agencies; leisure
        travel; ride hailing; tourism
    casinos and gambling; casinos and gaming | casino; casinos; gambling; betting; bookmakers; sports
        betting
    homebuilding; home building | homebuilder; homebuilders; home builders; house builders; housebuilders;
        home builder
    consumer electronics | consumer electronic; electronics brands; gadget makers
    home furnishings; household durables | furniture; furniture makers; appliances; appliance makers
    leisure products | toys; toy makers; leisure; sporting goods
    education; education services; consumer services | schools; educators; education providers
    consumer services; specialized consumer services | personal services
    discount stores; consumer staples merchandise retail; hypermarkets and super centers | discounters;
        discounter; discount retailers; dollar stores; big box; big box retailers; warehouse clubs
    food; packaged foods and meats; food products | foods; packaged food; packaged foods; food makers; food
        producers; meat packers
    beverages; soft drinks and non alcoholic beverages; brewers; distillers and vintners | beverage; drinks;
        drink makers; soft drinks; brewers; brewery; breweries; beer; spirits; distillers; beverage makers;
        brewing
    tobacco | cigarette makers; cigarettes; big tobacco; tobacco makers
    household products | household product; household goods; cleaning products
    cosmetics and personal care; personal care products; personal products | cosmetics; beauty; cosmetic
        makers; personal care; make up
    supermarkets; food retail | supermarket; grocers; grocery; grocery chains; groceries; food retailers;
        supermarket chains
    food distribution; food distributors; food | food distributor
    agriculture; agricultural products and services; agricultural products; food | agricultural; farming;
        agri; ag; crop traders
    oil and gas; integrated oil and gas; oil and gas exploration and production; energy | oil; gas; big oil;
        oil majors; oil companies; petroleum; oil producers; oil and gas producers; oil and natural gas;
        natural gas; oil producer; oil major; oils; shale; frackers
    oilfield services; oil and gas equipment and services | oil services; oil service; oilfield service;
        drillers; oil drillers; oil equipment; oilfield
    oil refining; oil and gas refining and marketing | refiner; refiners; oil refiners; refining
    pipelines; oil and gas storage and transportation | pipeline; midstream; pipeline operators
    coal; coal and consumable fuels | coal miners; coal mining
    banks; diversified banks; banking; regional banks | bank; lender; lenders; big banks; commercial banks;
        money center banks
    investment banking; investment banking and brokerage; capital markets | investment bank; investment
        banks; broker; brokers; brokerage; brokerages; broker dealers; securities firms
    asset management; asset management and custody banks | asset manager; asset managers; fund managers;
        money managers; private equity; wealth managers; hedge funds; wealth management; investment managers
    insurance; insurers; property and casualty insurance; life and health insurance | insurer; life
        insurers; insurance carriers; property insurers
    reinsurance; insurance | reinsurer; reinsurers
    insurance brokers; insurance brokerage | insurance broker
    exchanges and financial data; financial exchanges and data | exchange; exchanges; stock exchanges; stock
        exchange; financial data; rating agencies; credit rating agencies
    payments; transaction and payment processing services | payment; payment processors; payment processing;
        card networks; credit card networks; fintech; fintechs; payment networks
    consumer finance | consumer lenders; credit card issuers; consumer lending; card issuers; credit card
    mortgage finance; commercial and residential mortgage finance; consumer finance | mortgage; mortgage
        lenders; mortgage insurers
    mortgage reits; mortgage real estate investment trusts | mortgage reit; mreits
    investment holdings; multi sector holdings | holding companies; investment trusts; investment companies;
        holdings
    exchange traded funds | etf; etfs; exchange traded fund
    pharmaceuticals | pharma; pharmaceutical; pharmas; drug; drugs; drug maker; drug makers; drugmaker;
        drugmakers; big pharma; pharma makers; drug manufacturers
    biotechnology | biotech; biotechs; biotechnologies; bio tech; biopharma
    medical devices; health care equipment; medical equipment | medical device; medtech; medical technology;
        device makers; med tech; medical device makers; medical equipment makers; medical instruments
    health insurance; managed health care | health insurer; health insurers; managed care; health plans
    hospitals; health care facilities | hospital; hospital operators; hospital chains; clinics; nursing
        homes
    health care services; healthcare services | healthcare service; home health
    life science tools; life sciences tools and services | life science; life sciences; lab equipment;
        contract research; life science tool
    drug distribution; health care distributors; health care services | drug distributor; drug distributors;
        drug wholesalers
    diagnostics | diagnostic; labs; laboratories; testing labs; medical labs
    health care technology | health tech; healthcare technology; digital health; healthtech
    aerospace and defense; aerospace and defence | aerospace; defense; defence; defense contractors; weapons
        makers; arms makers; plane makers; defence contractors; military; planemakers
    airlines; passenger airlines | airline; carriers airline; air carriers; air travel
    railways; railroads; rail transportation | railroad; railway; rail; rails; train operators
    trucking; cargo ground transportation | truckers; trucker; trucking lines
    shipping; marine transportation; marine | shippers; shipping lines; container lines; ship owners;
        shipping line
    logistics; air freight and logistics | logistic; freight; parcel; delivery; couriers; freight
        forwarders; package delivery
    infrastructure operators; airport services; transportation infrastructure | infrastructure; airports;
        airport; toll roads; ports
    machinery; industrial machinery and supplies and components; industrial machinery; construction
        machinery and heavy transportation equipment | machine makers; heavy equipment; machinery makers;
        machines; truck makers; equipment makers; farm machinery
    electrical equipment; electrical components and equipment; heavy electrical equipment | electrical;
        battery makers; batteries; electrical equipment makers; power equipment
    building products | building product; building suppliers; hvac
    construction; construction and engineering | construction firms; builders; engineering; contractors;
        civil engineering; engineering and construction
    conglomerates; industrial conglomerates | conglomerate
    business services; diversified support services; research and consulting services; environmental and
        facilities services | business service; consulting; professional services; consultants; outsourcing
    staffing; human resource and employment services | staffing firms; recruiters; temp agencies;
        recruitment; employment services
    waste management; environmental and facilities services | waste; garbage; recycling; trash haulers;
        waste haulers
    trading companies; trading companies and distributors | trading houses; sogo shosha; trading house
    industrial distribution; trading companies and distributors | distributors; distributor; industrial
        distributors
    equipment rental; business services | rental; car rental; rentals; rental companies; leasing
    chemicals; specialty chemicals; commodity chemicals; diversified chemicals | chemical; chemical makers;
        fertilizers; fertilizer; industrial gases; paint makers; fertilizer makers
    metals and mining; mining; diversified metals and mining | miner; miners; mining companies; copper; iron
        ore; copper miners; metals and mining
    gold | gold miners; gold mining; precious metals; gold producers
    steel | steelmakers; steel makers; steelmaker; steel producers; iron and steel
    metals; aluminum; metals and mining | metal; aluminium; aluminum; aluminum makers; smelters
    packaging; paper and plastic packaging products and materials; metal glass and plastic containers |
        packagers; container makers; packaging makers; containers
    paper and forestry; forest products; paper products | paper; forestry; timber; pulp; paper makers;
        lumber
    building materials; construction materials | cement; cement makers; aggregates; building material
    real estate development; real estate operating companies | developers; property developers; real estate
        developers
    real estate services | real estate brokers; property services; real estate service
    residential real estate; residential reits; multi family residential reits | residential; apartment;
        apartments; residential reit; apartment reits; landlords; residential landlords
    office reits | office; office reit; offices; office landlords
    retail reits | retail reit; malls; mall operators; shopping centers; shopping malls
    industrial reits | industrial reit; warehouses; warehouse reits
    health care reits | healthcare reits; health care reit; healthcare reit
    hotel reits; hotel and resort reits; specialty reits | hotel reit
    data center and tower reits; data center reits; telecom tower reits; specialty reits | data center; data
        centers; towers; cell towers; tower; data centre; data centres; tower operators; data center reits
    diversified reits | diversified reit
    specialty reits; other specialized reits; specialized reits | self storage; storage reits; specialty
        reit; timberland
    electric utilities; utilities | electric utility; electricity; power; power utilities; electric
        companies; electricity producers
    gas utilities; utilities | gas utility; gas distributors; natural gas utilities
    water utilities; utilities | water; water utility; water companies
    multi utilities; utilities | multi utility; multiutilities
    renewable power; renewable electricity; independent power producers and energy traders | renewables;
        renewable; renewable energy; solar; wind; clean energy; green energy; solar makers; wind power;
        solar power
"""


class Industries:
    """The names of the sectors and industries that companies of the catalogue have."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.names: tuple[str, ...] = tuple(sorted({name for pair in pairs for name in pair if name}))

    @cached_property
    def keys(self) -> dict[str, str]:
        """Every way to say an industry, to its name."""
        own = {normal(name): name for name in self.names}
        said: dict[str, str] = {}
        for names, ways in _groups():
            meant = next((own[name] for name in names if name in own), None)
            for way in (*names, *ways) if meant else ():
                said.setdefault(way, str(meant))
        return said | own

    @cached_property
    def longest(self) -> dict[str, int]:
        """How many words the longest key has that begins with a word."""
        found: dict[str, int] = {}
        for key in self.keys:
            first = key.partition(" ")[0]
            found[first] = max(found.get(first, 0), key.count(" ") + 1)
        return found

    def resolve(self, text: str) -> str:
        """The name that the text means.

        Raises:
            CatalogError: if there is none, with names that are near.
        """
        found = self.keys.get(normal(text))
        if found is not None:
            return found
        from rapidfuzz import fuzz, process

        close = process.extract(text, self.names, scorer=fuzz.WRatio, limit=5, score_cutoff=60)
        near = tuple(name for name, _, _ in close)
        hint = f"near it: {', '.join(near)}" if near else f"known are {', '.join(self.names[:12])}"
        raise CatalogError(f"no industry is called {text!r}; {hint}", near)


def _groups() -> list[tuple[list[str], list[str]]]:
    """Names and ways to say them, as keys."""
    lines = GROUPS.replace("\n        ", " ").strip().splitlines()
    halves = ([part.split(";") for part in line.split("|")] for line in lines)
    return [([normal(name) for name in names], [normal(way) for way in ways]) for names, ways in halves]
