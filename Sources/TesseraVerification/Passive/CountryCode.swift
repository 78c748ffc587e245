/// The countries of a machine readable zone (Doc 9303-3, 5: three letters, or D for Germany) beside those of
/// certificates (ISO 3166-1: two letters).
enum CountryCode {
  /// The countries whose certificates may sign documents of an issuing state, in upper case.
  ///
  /// - Parameter state: of the machine readable zone, without fillers.
  static func signers(ofIssuingState state: String) -> [String] {
    if let exceptions = exceptions[state] { return exceptions }
    if let code = alpha2[state] { return [code] }
    // Organisations have a code of their own, which certificates shorten, or replace by the code for "unknown".
    guard state.count == 3, state.hasPrefix("X") else { return [] }
    return [String(state.prefix(2)), state, "ZZ"]
  }

  /// Whether a certificate of this country may sign documents of this issuing state.
  static func matches(_ certificateCountry: String, issuingState state: String) -> Bool {
    signers(ofIssuingState: state).contains(certificateCountry.uppercased())
  }

  /// Codes of Doc 9303-3 that ISO 3166-1 does not have, or that another country signs for.
  private static let exceptions: [String: [String]] = {
    var codes: [String: [String]] = [
      "D": ["DE"], "EUE": ["EU"], "UNO": ["UN", "ZZ"], "UNA": ["UN", "ZZ"], "UNK": ["UN", "KS", "XK", "ZZ"],
      "RKS": ["KS", "XK"], "XKX": ["KS", "XK"], "UTO": ["UT"], "IAO": ["IA"], "NTZ": ["NT"], "ROM": ["RO"],
      "HKG": ["HK", "CN"], "MAC": ["MO", "CN"], "ANT": ["AN", "NL"],
    ]
    let dependencies: [(String, [String])] = [
      ("GB", ["GBD", "GBN", "GBO", "GBP", "GBS"]),
      ("GB", ["AIA", "BMU", "CYM", "FLK", "GGY", "GIB", "IMN", "JEY", "MSR", "PCN", "SHN", "TCA", "VGB"]),
      ("DK", ["FRO", "GRL"]), ("NL", ["ABW", "BES", "CUW", "SXM"]), ("NZ", ["COK", "NIU", "TKL"]),
      ("US", ["ASM", "GUM", "MNP", "PRI", "VIR"]), ("NO", ["SJM"]), ("FI", ["ALA"]),
      ("FR", ["BLM", "GLP", "GUF", "MAF", "MTQ", "MYT", "NCL", "PYF", "REU", "SPM", "WLF"]),
    ]
    for (country, states) in dependencies {
      for state in states { codes[state] = [country] + (alpha2[state].map { [$0] } ?? []) }
    }
    return codes
  }()

  private static let alpha2: [String: String] = Dictionary(
    pairs.split(whereSeparator: \.isWhitespace).map { (String($0.suffix(3)), String($0.prefix(2))) },
    uniquingKeysWith: { first, _ in first })

  /// ISO 3166-1: the code of two letters followed by the one of three.
  private static let pairs = """
    ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO AQATA ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB
    BDBGD BEBEL BFBFA BGBGR BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BVBVT BWBWA BYBLR
    BZBLZ CACAN CCCCK CDCOD CFCAF CGCOG CHCHE CICIV CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR
    CYCYP CZCZE DEDEU DJDJI DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH ERERI ESESP ETETH FIFIN FJFJI FKFLK
    FMFSM FOFRO FRFRA GAGAB GBGBR GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB GNGIN GPGLP GQGNQ GRGRC GSSGS
    GTGTM GUGUM GWGNB GYGUY HKHKG HMHMD HNHND HRHRV HTHTI HUHUN IDIDN IEIRL ILISR IMIMN ININD IOIOT IQIRQ IRIRN
    ISISL ITITA JEJEY JMJAM JOJOR JPJPN KEKEN KGKGZ KHKHM KIKIR KMCOM KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO
    LBLBN LCLCA LILIE LKLKA LRLBR LSLSO LTLTU LULUX LVLVA LYLBY MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD
    MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR MTMLT MUMUS MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER
    NFNFK NGNGA NINIC NLNLD NONOR NPNPL NRNRU NUNIU NZNZL OMOMN PAPAN PEPER PFPYF PGPNG PHPHL PKPAK PLPOL PMSPM
    PNPCN PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT REREU ROROU RSSRB RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP
    SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP SVSLV SXSXM SYSYR SZSWZ TCTCA TDTCD TFATF
    TGTGO THTHA TJTJK TKTKL TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN TZTZA UAUKR UGUGA UMUMI USUSA UYURY
    UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT WFWLF WSWSM YEYEM YTMYT ZAZAF ZMZMB ZWZWE
    """
}
