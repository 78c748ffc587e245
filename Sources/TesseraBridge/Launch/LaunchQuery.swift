/// The query of the start address: configuration and verification request (the bridge protocol, section Launch).
public enum LaunchQuery {
  /// Returns `name=value&…` without the question mark. Absent values are omitted.
  public static func text(_ config: SelfSdkConfig, _ request: VerificationRequest) -> String {
    let fields: [(String, String?)] = [
      ("endpoint", config.endpoint),
      ("appEndpoint", config.appEndpoint ?? config.endpoint),
      ("environment", config.environment.rawValue),
      ("version", String(config.version)),
      ("appName", config.appName),
      ("endpointType", config.endpointType),
      ("chainID", config.chainID.map { String($0) }),
      ("verificationId", request.verificationId),
      ("userId", request.userId),
      ("scope", request.scope),
      ("disclosures", list(request.disclosures)),
      ("resultType", request.resultType),
      ("excludedCountries", list(request.excludedCountries)),
      ("userIdType", request.userIdType),
      ("userDefinedData", request.userDefinedData),
      ("selfDefinedData", request.selfDefinedData),
    ]
    return fields.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }.joined(separator: "&")
  }

  /// Percent-encodes `% & = + #` and space; all client generations read other characters unchanged.
  package static func encoded(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "%": text += "%25"
      case "&": text += "%26"
      case "=": text += "%3D"
      case "+": text += "%2B"
      case " ": text += "%20"
      case "#": text += "%23"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func list(_ items: [String]) -> String? { items.isEmpty ? nil : items.joined(separator: ",") }
}
