/// The name of one read, which the desk chooses at random: 22 characters of base64url. A read that is repeated after a
/// loss keeps it, so that the fleet has exactly one record of it.
public struct FleetReadID: Sendable, Hashable {
  package let identifier: FleetIdentifier

  package init(_ identifier: FleetIdentifier) { self.identifier = identifier }

  /// nil for a text of another form.
  public init?(_ text: String) {
    guard let identifier = FleetIdentifier(text) else { return nil }
    self.identifier = identifier
  }

  /// - Throws: `CryptographyError` if the generator has no seed.
  public static func random() throws -> FleetReadID { FleetReadID(try .random()) }

  public var text: String { identifier.text }
}

extension FleetReadID: CustomStringConvertible {
  public var description: String { text }
}

extension FleetReadID: Codable {
  public init(from decoder: any Decoder) throws { identifier = try FleetIdentifier(from: decoder) }

  public func encode(to encoder: any Encoder) throws { try identifier.encode(to: encoder) }
}
