internal import CTesseraOpenSSL

/// A `Name` of a certificate (RFC 5280, 4.1.2.4), in DER as received.
package struct DistinguishedName: Sendable, Hashable {
  package let encoded: ArraySlice<UInt8>
  private let content: ArraySlice<UInt8>

  package init(_ value: DERValue) {
    encoded = value.encoded
    content = value.content
  }

  package static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }
  package func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

  /// `countryName` as two upper-case letters, also if the name has the code of three letters or spaces around it; as it
  /// stands, in upper case, if the code is not known; nil if there is none.
  package var country: String? {
    text(of: [0x55, 0x04, 0x06]).map(CountryName.code)
  }

  /// `commonName`; nil if there is none.
  package var commonName: String? {
    text(of: [0x55, 0x04, 0x03])
  }

  /// The name as names compare (RFC 5280, 7.1): type and text of each attribute, whatever string type has the text, in
  /// lower case and with single spaces. Issuers write one name with different string types, and in different case.
  package var comparable: ComparableName { ComparableName(attributes) }

  /// Whether both are one name (RFC 5280, 7.1), however they are written.
  package func isSame(as other: DistinguishedName) -> Bool {
    encoded == other.encoded || comparable == other.comparable
  }

  /// An attribute of a name.
  fileprivate struct Attribute {
    let type: ArraySlice<UInt8>
    let value: DERValue

    var text: String { NameText.decode(value) }
  }

  private var attributes: [Attribute] {
    var attributes: [Attribute] = []
    var sets = DERValue.Elements(rest: content)
    while let set = try? sets.next(DERValue.Tag.set, "name") { attributes += Self.attributes(of: set) }
    return attributes
  }

  /// The text of the first attribute of a type; nil if there is none.
  ///
  /// - Parameter type: the content octets of the object identifier.
  private func text(of type: [UInt8]) -> String? {
    var sets = DERValue.Elements(rest: content)
    while let set = try? sets.next(DERValue.Tag.set, "name") {
      let found = Self.attributes(of: set).first { $0.type.elementsEqual(type) }
      if let found { return found.text }
    }
    return nil
  }

  private static func attributes(of set: DERValue) -> [Attribute] {
    var attributes: [Attribute] = []
    var pairs = set.elements
    while let pair = try? pairs.next(DERValue.Tag.sequence, "name") {
      var parts = pair.elements
      guard let type = try? parts.next(DERValue.Tag.objectIdentifier, "name"), let value = try? parts.next("name")
      else { continue }
      attributes.append(Attribute(type: type.content, value: value))
    }
    // The order within a set says nothing.
    return attributes.count < 2 ? attributes : attributes.sorted { $0.type.lexicographicallyPrecedes($1.type) }
  }
}

/// The text of a name: equal for names that RFC 5280, 7.1 calls equal.
package struct ComparableName: Sendable, Hashable {
  /// For each attribute: the number of octets of its type, the type, its text, and an octet that is in no text.
  private let bytes: [UInt8]

  fileprivate init(_ attributes: [DistinguishedName.Attribute]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    for attribute in attributes {
      bytes.append(UInt8(truncatingIfNeeded: attribute.type.count))
      bytes += attribute.type
      NameText.append(attribute.value, to: &bytes)
      bytes.append(0xFF)
    }
    self.bytes = bytes
  }
}

/// The string types of names (RFC 5280, 4.1.2.4).
private enum NameText {
  static func decode(_ value: DERValue) -> String {
    switch value.tag {
    case 0x1E:
      return String(decoding: units(value.content, of: 2).map(UInt16.init(truncatingIfNeeded:)), as: UTF16.self)
    case 0x1C: return String(decoding: units(value.content, of: 4), as: UTF32.self)
    default:
      // TeletexString has no agreed repertoire: OpenSSL, as most, writes and reads Latin-1. Some issuers write UTF-8 as
      // another type, and Latin-1 as UTF8String.
      return String(validating: value.content, as: UTF8.self)
        ?? String(String.UnicodeScalarView(value.content.map { Unicode.Scalar($0) }))
    }
  }

  /// The big-endian numbers of `size` octets each.
  private static func units(_ bytes: ArraySlice<UInt8>, of size: Int) -> [UInt32] {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { start in
      bytes[start..<min(start + size, bytes.endIndex)].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  /// The tags of UTF8String, NumericString, PrintableString, TeletexString, IA5String, VisibleString, GeneralString,
  /// UniversalString and BMPString.
  private static let strings: Set<UInt8> = [0x0C, 0x12, 0x13, 0x14, 0x16, 0x1A, 0x1B, 0x1C, 0x1E]

  /// Appends the text in lower case and with single spaces.
  static func append(_ value: DERValue, to bytes: inout [UInt8]) {
    // What is no text is no other name's text.
    if !strings.contains(value.tag) { bytes += [0xFF, value.tag] }
    let start = bytes.count
    // Lists have thousands of names, nearly all in ASCII.
    guard value.tag == 0x1E || value.tag == 0x1C || !appendASCII(value.content, to: &bytes) else { return }
    bytes.removeSubrange(start...)
    let text = decode(value).lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    bytes += text.utf8
  }

  /// - Returns: false if there is another octet than those of ASCII.
  private static func appendASCII(_ content: ArraySlice<UInt8>, to bytes: inout [UInt8]) -> Bool {
    let start = bytes.count
    var isSpace = false
    for octet in content {
      switch octet {
      case 0x80...: return false
      case 0x09...0x0D, 0x20: isSpace = true
      default:
        if isSpace, bytes.count > start { bytes.append(0x20) }
        isSpace = false
        bytes.append(0x41...0x5A ~= octet ? octet | 0x20 : octet)
      }
    }
    return true
  }
}

extension DistinguishedName: CustomStringConvertible {
  /// RFC 2253 text, but with readable UTF-8 instead of escapes; empty if the name is malformed.
  package var description: String {
    let name = encoded.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      return d2i_X509_NAME(nil, &cursor, bytes.count)
    }
    guard let name, let bio = BIO_new(BIO_s_mem()) else {
      X509_NAME_free(name)
      ERR_clear_error()
      return ""
    }
    defer {
      X509_NAME_free(name)
      BIO_free(bio)
    }
    let flags = tessera_xn_flag_rfc2253 & ~UInt(ASN1_STRFLGS_ESC_MSB)
    guard X509_NAME_print_ex(bio, name, 0, flags) >= 0 else {
      ERR_clear_error()
      return ""
    }
    var contents: UnsafeMutablePointer<CChar>?
    let length = tessera_bio_contents(bio, &contents)
    guard let contents, length > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: contents, count: length), as: UTF8.self)
  }
}

/// The values of `countryName` in names (RFC 5280, appendix A.1: the two letters of ISO 3166-1).
package enum CountryName {
  /// Two upper-case letters, also for the code of three letters that some certificates have, and for the codes of Doc
  /// 9303-3, 5 that ISO 3166-1 lacks; any other text in upper case.
  package static func code(of text: String) -> String {
    // Nearly all names have the two letters.
    if text.utf8.count == 2, text.utf8.allSatisfy({ 0x41...0x5A ~= $0 }) { return text }
    let code = text.uppercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return ofDocuments[code] ?? twoLetters[code] ?? code
  }

  private static let ofDocuments = [
    "D": "DE", "EUE": "EU", "UNO": "UN", "RKS": "KS", "UTO": "UT", "IAO": "IA", "ROM": "RO",
  ]

  /// The code of two letters by the code of three.
  package static let twoLetters: [String: String] = Dictionary(
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
