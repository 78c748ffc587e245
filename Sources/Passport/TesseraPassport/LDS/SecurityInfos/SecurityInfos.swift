import SwiftASN1
import TesseraCryptography
import TesseraSmartCard

/// `SecurityInfos` of BSI TR-03110-3, A.1.1 (Doc 9303-11, 9.2): the protocols and keys that the chip offers, as stated
/// in EF.CardAccess, EF.CardSecurity and DG14.
///
/// A malformed entry does not affect the others. It is stored raw, unless its object identifier is unreadable, and
/// reported in `problems`.
public struct SecurityInfos: Sendable {
  /// An entry as stored.
  public struct Entry: Sendable, Hashable {
    /// The object identifier, dotted.
    public let protocolIdentifier: String
    /// The DER of the `SecurityInfo`.
    public let encoded: [UInt8]
  }

  /// Every entry, known or not, in the order of the file.
  public private(set) var entries: [Entry] = []
  public private(set) var pace: [PACEInfo] = []
  public private(set) var paceDomainParameters: [PACEDomainParameterInfo] = []
  public private(set) var chipAuthentication: [ChipAuthenticationInfo] = []
  public private(set) var chipAuthenticationKeys: [ChipAuthenticationPublicKeyInfo] = []
  public private(set) var terminalAuthentication: [TerminalAuthenticationInfo] = []
  public private(set) var activeAuthentication: [ActiveAuthenticationInfo] = []
  /// The problems of single entries.
  public private(set) var problems: [SecurityInfoProblem] = []

  /// Maximum number of entries; no document has more.
  private static let maximumEntries = 256

  /// - Parameter bytes: the DER `SET OF SecurityInfo`. Bytes after it are ignored, since some chips pad EF.CardAccess
  ///   to the size of the file.
  /// - Throws: `CryptographyError.malformed` if this is not a set of entries.
  public init(_ bytes: some Collection<UInt8>) throws {
    let bytes = Array(bytes)
    let length = min(bytes.count, (try? BERTLV.header(of: bytes[...]).totalLength) ?? bytes.count)
    let nodes = try ASN1Node.parse(bytes.prefix(length), "SecurityInfos").children("SecurityInfos")
    guard nodes.count <= Self.maximumEntries else {
      throw CryptographyError.malformed("SecurityInfos with too many entries")
    }
    for node in nodes {
      guard let parts = try? node.children("SecurityInfo"),
        let identifier = try? parts.first?.objectIdentifier("SecurityInfo protocol")
      else {
        problems.append(.unnamed)
        continue
      }
      entries.append(Entry(protocolIdentifier: identifier, encoded: Array(node.encodedBytes)))
      do {
        try add(identifier, Array(parts.dropFirst()))
      } catch let problem as SecurityInfoProblem {
        problems.append(problem)
      } catch {
        problems.append(.malformed(protocolIdentifier: identifier))
      }
    }
    findDuplicates()
  }

  /// - Parameter entries: the DER of each `SecurityInfo`.
  /// - Throws: the errors of the other initialiser; `CryptographyError.malformed` for an entry without a protocol.
  package init(entries: [[UInt8]]) throws {
    try self.init(Self.set(entries))
    if problems.contains(.unnamed) { throw CryptographyError.malformed("SecurityInfo") }
  }

  /// The `SET OF SecurityInfo` with its entries in the original order.
  package var encoded: [UInt8] { Self.set(entries.map(\.encoded)) }

  private static func set(_ entries: [[UInt8]]) -> [UInt8] { BERTLV.encode(0x31, Array(entries.joined())) }

  private mutating func add(_ identifier: String, _ fields: [ASN1Node]) throws {
    if identifier == Arc.activeAuthentication {
      activeAuthentication.append(try ActiveAuthenticationInfo(fields))
    } else if identifier == Arc.terminalAuthentication {
      terminalAuthentication.append(try TerminalAuthenticationInfo(fields))
    } else if [Arc.publicKey, Arc.pace, Arc.chipAuthentication].contains(where: { Self.isBelow($0, identifier) }) {
      guard let arcs = ObjectIdentifierBytes.arcs(identifier) else {
        throw SecurityInfoProblem.unknownProtocol(identifier)
      }
      try add(identifier, arcs, fields)
    }
  }

  private mutating func add(_ identifier: String, _ arcs: [Int], _ fields: [ASN1Node]) throws {
    if Self.isBelow(Arc.publicKey, identifier) {
      chipAuthenticationKeys.append(try ChipAuthenticationPublicKeyInfo(identifier, arcs, fields))
    } else if Self.isBelow(Arc.pace, identifier) {
      if arcs.count == PACEProtocol.arcCount - 1 {
        paceDomainParameters.append(try PACEDomainParameterInfo(identifier, fields))
      } else {
        pace.append(try PACEInfo(identifier, fields))
      }
    } else if arcs.count == ChipAuthenticationProtocol.arcCount {
      chipAuthentication.append(try ChipAuthenticationInfo(identifier, fields))
    }
  }

  /// Finds repeated entries, and different entries for the same parameters or key, which are ambiguous.
  private mutating func findDuplicates() {
    func duplicates<Key: Hashable>(_ keys: [Key]) -> Set<Key> {
      Set(Dictionary(grouping: keys, by: { $0 }).filter { $0.value.count > 1 }.keys)
    }
    struct Name: Hashable {
      let identifier: String
      let number: Int?
    }
    // Identical entries are harmless; different entries with the same number contradict each other.
    let distinct = Set(entries)
    if distinct.count < entries.count { problems.append(.repeated) }
    let names =
      Set(pace).map { Name(identifier: $0.protocolIdentifier, number: $0.parameterIdentifier) }
      + Set(paceDomainParameters).map { Name(identifier: Arc.pace, number: $0.parameterIdentifier) }
      + Set(chipAuthentication).map { Name(identifier: $0.protocolIdentifier, number: $0.keyIdentifier) }
      + Set(chipAuthenticationKeys).map { Name(identifier: Arc.publicKey, number: $0.keyIdentifier) }
    for name in duplicates(names).sorted(by: { $0.identifier < $1.identifier }) {
      problems.append(.ambiguous(protocolIdentifier: name.identifier, number: name.number))
    }
    if Set(activeAuthentication).count > 1 {
      problems.append(.ambiguous(protocolIdentifier: Arc.activeAuthentication, number: nil))
    }
  }

  private static func isBelow(_ arc: String, _ identifier: String) -> Bool { identifier.hasPrefix(arc + ".") }

  /// The object identifiers of the entries, dotted.
  public var protocols: [String] { entries.map(\.protocolIdentifier) }

  /// Whether an entry's identifier is `arc` or below it.
  package func offers(_ arc: String) -> Bool { protocols.contains { $0 == arc || Self.isBelow(arc, $0) } }

  /// The arcs of BSI TR-03110-3, A.1.1.
  package enum Arc {
    package static let terminalAuthentication = "0.4.0.127.0.7.2.2.2"
    package static let chipAuthentication = "0.4.0.127.0.7.2.2.3"
    /// A static key for Chip Authentication, which older documents list without the protocol itself.
    package static let publicKey = "0.4.0.127.0.7.2.2.1"
    package static let pace = "0.4.0.127.0.7.2.2.4"
    package static let paceChipAuthenticationMapping = "0.4.0.127.0.7.2.2.4.6"
    /// `id-icao-mrtd-security-aaProtocolObject` (Doc 9303-11, 9.2.4).
    package static let activeAuthentication = "2.23.136.1.1.5"
  }
}

extension SecurityInfos: Equatable {
  public static func == (left: SecurityInfos, right: SecurityInfos) -> Bool { left.entries == right.entries }
}

/// A problem of an entry of `SecurityInfos`.
public enum SecurityInfoProblem: Error, Sendable, Hashable {
  case malformed(protocolIdentifier: String)
  /// An undefined protocol of a known family.
  case unknownProtocol(String)
  /// An unsupported version of a known protocol.
  case unknownVersion(protocolIdentifier: String, version: Int)
  /// Different entries for the same number.
  case ambiguous(protocolIdentifier: String, number: Int?)
  /// An entry that occurs more than once.
  case repeated
  /// An entry whose object identifier cannot be read, or has numbers beyond 63 bits.
  case unnamed

  /// A description as a sentence.
  public var sentence: String {
    switch self {
    case .malformed(let identifier): "The entry for \(identifier) is malformed."
    case .unknownProtocol(let identifier): "The protocol \(identifier) is not defined."
    case .unknownVersion(let identifier, let version): "Version \(version) of \(identifier) is not supported."
    case .ambiguous(let identifier, let number):
      "There are several entries for \(identifier)\(number.map { " with the number \($0)" } ?? "")."
    case .repeated: "An entry is repeated."
    case .unnamed: "An entry has no readable object identifier."
    }
  }
}

/// Caches the results of validating domain parameters or keys, by their encoding. A primality test takes up to a second
/// and a file can list hundreds of entries, so each is validated once, and their number is limited.
struct ValidationCache<Value> {
  private var results: [[UInt8]: Result<Value, any Error>] = [:]

  /// - Throws: `TooManyParameters`; the error of `check`, also when it is cached.
  mutating func value(of bytes: [UInt8], _ check: () throws -> Value) throws -> Value {
    if let known = results[bytes] { return try known.get() }
    guard results.count < TooManyParameters.limit else { throw TooManyParameters() }
    let result = Result { try check() }
    results[bytes] = result
    return try result.get()
  }
}

/// A chip has more explicit domain parameters or keys than are validated.
struct TooManyParameters: Error {
  static let limit = 8
  /// Completes a sentence about the entry that was left out.
  let sentence = "at most \(limit) explicit parameter sets or keys of a chip are validated"
}
