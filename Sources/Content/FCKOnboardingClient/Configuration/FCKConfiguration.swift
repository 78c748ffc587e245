public import TesseraCore
import TesseraDurableFiles
internal import TesseraHTTPClient

/// What a program tells FCKOnboarding: where its flows are, and who the program is.
///
/// No address is built in.
public struct FCKConfiguration: Sendable {
  /// The key of the program at the server. It is no secret, but it is in no log and no error.
  public var apiKey: String
  /// The address of the server, with https: the part before `/api/sdk/`, for example `https://onboarding.example.org`.
  public var baseAddress: String
  public var environment: FCKEnvironment
  public var cachePolicy: FlowCachePolicy
  /// The identifier that the program itself has for the user.
  public var userId: String?
  /// The names of the properties of the user that may be sent. Others stay here: properties travel in the address of a
  /// request, which servers log.
  public var userProperties: Set<String> = []
  /// The name of the program. Its state is in the folder of this name below `$XDG_STATE_HOME`, its cache in that below
  /// `$XDG_CACHE_HOME`.
  public var appName = "fckonboarding"
  public var appVersion: String?
  public var appBuild: String?
  /// For one request, from its start to the end of the response.
  public var requestTimeout = Duration.seconds(10)

  /// - Parameter environment: nil for that of the build.
  public init(
    apiKey: String, baseAddress: String, environment: FCKEnvironment? = nil,
    cachePolicy: FlowCachePolicy = .networkFirst, userId: String? = nil
  ) {
    self.apiKey = apiKey
    self.baseAddress = baseAddress
    self.environment = environment ?? .ofBuild
    self.cachePolicy = cachePolicy
    self.userId = userId
  }

  /// - Throws: `Failure` if the key cannot be sent, or the address is not one with https.
  func validate() throws(Failure) {
    guard HeaderText.isValue(apiKey) else {
      throw Failure(
        .usage, "The key of FCKOnboarding is empty, or has characters that no key has.",
        remedy: "Copy the key from the settings of your project.")
    }
    do throws(HTTPError) {
      _ = try base()
    } catch {
      throw Failure(
        .usage, "The address of the onboarding server is not one with https.",
        remedy: "Use an address such as https://onboarding.example.org.")
    }
  }

  /// The address without a slash at its end.
  ///
  /// - Throws: `HTTPError.notHTTPS` or `.invalidAddress`.
  func base() throws(HTTPError) -> String {
    guard !baseAddress.contains(where: { $0 == "?" || $0 == "#" }) else { throw .invalidAddress }
    let text = try HTTPSAddress(baseAddress).text
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  /// The name of the program's folders: letters, digits, `-` and `_`.
  var folderName: String {
    UserFolders.programFolder(appName, standard: "fckonboarding")
  }
}

/// Without the key and the user.
extension FCKConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "FCKConfiguration(\(environment.rawValue), \(cachePolicy.rawValue))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which of the server's data a program uses.
public enum FCKEnvironment: String, Sendable, CaseIterable {
  case sandbox
  case production

  /// `sandbox` in debug builds, else `production`.
  public static var ofBuild: FCKEnvironment {
    #if DEBUG
      .sandbox
    #else
      .production
    #endif
  }
}

/// Whether a flow comes from the server or from the cache (NativeScreens.md, “When the server is away”).
public enum FlowCachePolicy: String, Sendable, CaseIterable {
  /// A cached flow that is younger than 24 hours is used at once, and asked for again in the background. Otherwise as
  /// `networkFirst`.
  case cacheFirst
  /// The server is asked. If that fails, a cached flow of any age is used.
  case networkFirst
  /// The server is asked. The cache is neither read nor written.
  case networkOnly
}

/// An error of `FCKOnboarding` itself. Those of requests are `FCKAPIClient.APIError`.
public enum FCKError: FailureConvertible, Equatable {
  /// A function was called before `configure`.
  case notConfigured

  public var failure: Failure {
    Failure(.usage, "FCKOnboarding is not configured.", remedy: "Call configure before this function.")
  }
}
