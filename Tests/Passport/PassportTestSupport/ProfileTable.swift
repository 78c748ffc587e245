public import Testing

/// The expected result of a read of each profile without a fault, in the words of the library and the program's JSON.
public struct ProfileRow: Sendable, CustomTestStringConvertible {
  /// The profile's name.
  public let name: String
  public let access: Access
  /// The checks of the chip's authenticity that pass; the others are skipped.
  public let proofs: Set<String>
  /// `accessControl` of the report.
  public struct Access: Sendable, Equatable {
    public let `protocol`: String
    public var oid: String?
    public var mapping: String?
    public var cipher: String?
    public var parameterId: Int?

    public static let bac = Access(protocol: "BAC", cipher: "3DES")
    public static let none = Access(protocol: "none")

    /// - Parameter arcs: The last two arcs of the object identifier.
    static func pace(_ arcs: String, _ mapping: String, _ cipher: String, _ parameters: Int) -> Access {
      Access(
        protocol: "PACE", oid: "0.4.0.127.0.7.2.2.4.\(arcs)", mapping: mapping, cipher: cipher, parameterId: parameters)
    }

    public init(
      protocol: String, oid: String? = nil, mapping: String? = nil, cipher: String? = nil, parameterId: Int? = nil
    ) {
      self.protocol = `protocol`
      self.oid = oid
      self.mapping = mapping
      self.cipher = cipher
      self.parameterId = parameterId
    }
  }

  private init(_ name: String, _ access: Access, _ proofs: String...) {
    self.name = name
    self.access = access
    self.proofs = Set(proofs)
  }

  public var testDescription: String { name }

  /// Every check in the order of the report, with its expected status if the country is known.
  public var checks: [Check] {
    let passed: Set<String> = [
      "mrz.checkDigits", "mrz.matchesKey", "passive.hashes", "passive.signature", "passive.chain",
      "passive.revocation", "passive.validity", "document.expiry",
    ]
    return Self.checkNames.map {
      Check(id: $0, status: passed.contains($0) || proofs.contains($0) ? "passed" : "skipped")
    }
  }

  /// The same without any country certificate.
  public var checksWithoutCountry: [Check] {
    let needCountry: Set<String> = ["passive.chain", "passive.revocation", "passive.validity"]
    return checks.map { needCountry.contains($0.id) ? Check(id: $0.id, status: "skipped") : $0 }
  }

  public struct Check: Sendable, Equatable {
    public let id: String
    public let status: String

    public init(id: String, status: String) {
      self.id = id
      self.status = status
    }
  }

  public static let checkNames = [
    "mrz.checkDigits", "mrz.matchesKey", "passive.hashes", "passive.signature", "passive.chain", "passive.revocation",
    "passive.validity", "chip.authentication", "active.authentication", "pace.chipAuthentication",
    "terminal.authentication", "document.expiry",
  ]

  private static let chip = "chip.authentication"
  private static let active = "active.authentication"
  private static let mapping = "pace.chipAuthentication"

  /// If a chip offers Chip Authentication Mapping and Generic Mapping, the former is the strongest common mapping.
  public static let all: [ProfileRow] = [
    ProfileRow("bac", .bac),
    ProfileRow("bac-extended", .bac),
    ProfileRow("open", .none),
    ProfileRow("austria-2023", .pace("2.2", "GM", "AES-128", 13), chip),
    ProfileRow("canada-2023", .pace("2.2", "GM", "AES-128", 15), chip),
    ProfileRow("china-2018", .bac, active),
    ProfileRow("finland-2023", .pace("6.4", "CAM", "AES-256", 16), mapping),
    ProfileRow("finland-id-2023", .pace("6.4", "CAM", "AES-256", 16), mapping),
    ProfileRow("france-2017", .pace("2.4", "GM", "AES-256", 12), chip),
    ProfileRow("france-id-2024", .pace("2.4", "GM", "AES-256", 13), chip),
    ProfileRow("germany-2023", .pace("6.2", "CAM", "AES-128", 13), mapping, chip),
    ProfileRow("hong-kong-2025", .pace("2.4", "GM", "AES-256", 13), active),
    ProfileRow("malaysia-2023", .bac, chip),
    ProfileRow("netherlands-2025", .pace("2.4", "GM", "AES-256", 14), chip),
    ProfileRow("new-zealand-2017", .pace("2.1", "GM", "3DES", 13), active),
    ProfileRow("russia-2020", .bac, chip),
    ProfileRow("singapore-2023", .pace("2.4", "GM", "AES-256", 13)),
    ProfileRow("taiwan-2024", .pace("2.4", "GM", "AES-256", 12)),
    ProfileRow("united-kingdom-2021", .pace("2.4", "GM", "AES-256", 12), chip),
    ProfileRow("united-states-2021", .bac),
    ProfileRow("dh", .pace("1.4", "GM", "AES-256", 2), chip),
    ProfileRow("all", .pace("2.4", "GM", "AES-256", 18), chip, active),
  ]
}
