import TesseraCryptography
import TesseraSmartCard

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The form of the trust store: a line with the version, a line with the SHA-256 of the rest, a line of JSON that
/// describes the entries, and their DER encodings one after the other.
enum TrustFile {
  private static let firstLine = Array("tessera trust 1\n".utf8)
  private static let hashLength = 64

  private struct Index: Codable {
    var sources: [CertificateSource]
    var entries: [Entry]

    enum Kind: String {
      case countrySigner, documentSigner, revocationList, deviationList
    }
  }

  /// One entry: a string of words, since JSON with a member for each takes longer to decode than the certificates.
  private struct Entry: Codable {
    var kind: Index.Kind
    /// In bytes.
    var length: Int
    /// Positions in `sources`.
    var sources: [Int]
    /// Only of country signers.
    var status: CountrySigner.Status?

    init(_ kind: Index.Kind, length: Int, sources: [Int], status: CountrySigner.Status?) {
      self.kind = kind
      self.length = length
      self.sources = sources
      self.status = status
    }

    init(from decoder: any Decoder) throws {
      let words = try decoder.singleValueContainer().decode(String.self).split(separator: " ")
      let malformed = CryptographyError.malformed("trust store")
      guard words.count >= 3, let kind = Index.Kind(rawValue: String(words[0])), let length = Int(words[1]) else {
        throw malformed
      }
      self.kind = kind
      self.length = length
      sources = try words[2].split(separator: ",").map { word in
        guard let position = Int(word) else { throw malformed }
        return position
      }
      switch words.dropFirst(3).first {
      case "selfSigned": status = .selfSigned
      case "endorsed": status = .endorsed
      case "linked":
        guard words.count == 5, let issuer = [UInt8](hexadecimal: words[4]) else { throw malformed }
        status = .linked(issuer: issuer)
      default: status = nil
      }
    }

    func encode(to encoder: any Encoder) throws {
      var words = [kind.rawValue, "\(length)", sources.map(String.init).joined(separator: ",")]
      if let status { words.append(status.name) }
      if case .linked(let issuer)? = status { words.append(issuer.hexadecimal) }
      var container = encoder.singleValueContainer()
      try container.encode(words.joined(separator: " "))
    }
  }

  static func encode(_ material: TrustMaterial) throws -> [UInt8] {
    var sources: [CertificateSource] = []
    var positions: [CertificateSource: Int] = [:]
    func numbers(_ list: [CertificateSource]) -> [Int] {
      list.map { source in
        if let position = positions[source] { return position }
        positions[source] = sources.count
        sources.append(source)
        return sources.count - 1
      }
    }
    var entries: [Entry] = []
    var blob: [UInt8] = []
    func add(_ kind: Index.Kind, _ der: [UInt8], _ list: [CertificateSource], _ status: CountrySigner.Status? = nil) {
      entries.append(Entry(kind, length: der.count, sources: numbers(list), status: status))
      blob += der
    }
    for signer in material.countrySigners {
      add(.countrySigner, signer.certificate.der, signer.sources, signer.status)
    }
    for signer in material.documentSigners { add(.documentSigner, signer.certificate.der, signer.sources) }
    for list in material.revocationLists { add(.revocationList, list.list.der, list.sources) }
    for list in material.deviationLists { add(.deviationList, list.list.encoded, list.sources) }

    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let rest = Array(try encoder.encode(Index(sources: sources, entries: entries))) + Array("\n".utf8) + blob
    let hash = try HashAlgorithm.sha256.digest(of: rest).hexadecimal.lowercased()
    return firstLine + Array(hash.utf8) + Array("\n".utf8) + rest
  }

  /// - Throws: `CryptographyError` or a decoding error if the content was changed.
  static func decode(_ content: [UInt8]) throws -> TrustMaterial {
    var material = TrustMaterial()
    try forEachEntry(of: content) { entry, sources, der in
      switch entry.kind {
      case .countrySigner:
        guard let status = entry.status else { throw malformed }
        material.insert(try CountrySigner(certificate: Certificate(der: Array(der)), status: status, sources: sources))
      case .documentSigner:
        material.insert(TrustMaterial.DocumentSigner(certificate: try Certificate(der: Array(der)), sources: sources))
      case .revocationList:
        material.insert(TrustMaterial.StoredRevocationList(list: try RevocationList(der: Array(der)), sources: sources))
      case .deviationList:
        material.insert(TrustMaterial.StoredDeviationList(list: try DeviationList(Array(der)), sources: sources))
      }
    }
    return material
  }

  /// The dates of the content, without its certificates.
  ///
  /// - Throws: `CryptographyError` or a decoding error if the content was changed.
  static func dates(_ content: [UInt8]) throws -> TrustDates {
    var dates = TrustDates()
    try forEachEntry(of: content) { entry, sources, der in
      switch entry.kind {
      case .countrySigner: dates.addCountrySigner(sources)
      case .documentSigner: break
      case .revocationList: dates.add(try RevocationList(der: Array(der)), sources)
      case .deviationList: dates.addDeviationList(sources)
      }
    }
    return dates
  }

  private static let malformed = CryptographyError.malformed("trust store")

  private static func forEachEntry(
    of content: [UInt8], _ body: (Entry, [CertificateSource], ArraySlice<UInt8>) throws -> Void
  ) throws {
    let start = firstLine.count + hashLength + 1
    guard content.count > start, content.starts(with: firstLine) else { throw malformed }
    let rest = content[start...]
    let hash = try HashAlgorithm.sha256.digest(of: rest).hexadecimal.lowercased()
    guard content[firstLine.count..<start].elementsEqual(Array("\(hash)\n".utf8)),
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
    else { throw malformed }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let index = try decoder.decode(Index.self, from: Data(rest[..<end]))
    var blob = rest[(end + 1)...]
    for entry in index.entries {
      guard entry.length >= 0, entry.length <= blob.count,
        entry.sources.allSatisfy({ index.sources.indices.contains($0) })
      else { throw malformed }
      let encoding = blob.prefix(entry.length)
      blob = blob.dropFirst(entry.length)
      try body(entry, entry.sources.map { index.sources[$0] }, encoding)
    }
  }
}
