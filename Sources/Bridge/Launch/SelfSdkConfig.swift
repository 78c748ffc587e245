/// Where content comes from and what it talks to (dossier, 6.1).
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
  /// The endpoint where nil.
  public var appEndpoint: String?
  public var endpointType: String?
  public var chainID: Int64?
  /// Where released content is served; https only.
  public var remoteWebAppBaseURL = "https://self-app-alpha.vercel.app"
  /// Where content is served while it is developed; for debugging only.
  public var devServerURL: String?

  public init() {}
}
