public import TestSupport

/// The vectors of the protocol for servers (the cases tagged `core` or `server`), and its tables.
public enum BridgeVectors {
  public static let fixture = Fixtures.json("Bridge/BridgeTests", "bridge-vectors.json")
  public static let cases = fixture["cases"].list

  /// The `domain.method` of a case; nil if the case has no such request.
  static func target(_ vector: Vector) -> String? {
    let (domain, method) = (vector["send"]["domain"].text, vector["send"]["method"].text)
    return domain.isEmpty || method.isEmpty ? nil : "\(domain).\(method)"
  }
}
