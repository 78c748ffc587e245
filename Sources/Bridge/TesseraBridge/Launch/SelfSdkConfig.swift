/// The addresses of content and its servers (the bridge protocol, section Launch).
public struct SelfSdkConfig: Sendable, Equatable {
  public enum Environment: String, Sendable {
    case production = "prod"
    case staging = "stg"
  }

  public var endpoint = "https://api.self.xyz"
  public var environment = Environment.production
  public var isDebug = false
  public var version: Int64 = 1
  public var appName: String?
  /// If nil, `endpoint` is used.
  public var appEndpoint: String?
  public var endpointType: String?
  public var chainID: Int64?
  /// The https address of released content.
  public var remoteWebAppBaseURL = "https://self-app-alpha.vercel.app"
  /// The address of content under development. Used only if `isDebug` is true.
  public var devServerURL: String?

  public init() {}
}
