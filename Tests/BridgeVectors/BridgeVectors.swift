public import TestSupport

/// The vectors of the protocol that a server has to hold to (the cases tagged `core` or `server`), and its tables.
public enum BridgeVectors {
  public static let fixture = Fixtures.json("BridgeTests", "bridge-vectors.json")
  public static let cases = fixture["cases"].list

  /// A case's `domain.method`; nil for one that is no request with both.
  static func target(_ vector: Vector) -> String? {
    let (domain, method) = (vector["send"]["domain"].text, vector["send"]["method"].text)
    return domain.isEmpty || method.isEmpty ? nil : "\(domain).\(method)"
  }
}
