import BridgeVectors
import TesseraCore
import TestSupport
import Testing

@testable import TesseraBridge

@Suite("Permissions of web content")
struct ContentPolicyTests {
  static let table = BridgeVectors.fixture["urlPolicy"]

  private func policy(_ vector: Vector) -> ContentPolicy {
    var config = SelfSdkConfig()
    config.isDebug = vector["debug"].flag
    config.remoteWebAppBaseURL = vector["remote"].text
    config.devServerURL = vector["devServer"].isPresent ? vector["devServer"].text : nil
    return ContentPolicy(config)
  }

  @Test("start addresses", arguments: table["initialContentUrl"].list)
  func start(_ vector: Vector) throws {
    #expect(Self.table["initialContentUrl"].list.count == 6)
    if vector["error"].flag {
      #expect(throws: Failure.self) { try policy(vector).startURL() }
    } else {
      #expect(try policy(vector).startURL(query: vector["queryParams"].text) == vector["url"].text)
    }
  }

  @Test("decisions", arguments: table["decisions"].list)
  func decisions(_ vector: Vector) {
    #expect(Self.table["decisions"].list.count == 15)
    let url = vector["url"].isPresent ? vector["url"].text : nil
    let policy = policy(vector)
    #expect(policy.mayNavigate(to: url) == vector["navigation"].flag, "\(url ?? "no address")")
    #expect(policy.mayUseBridge(url) == vector["bridge"].flag, "\(url ?? "no address")")
    #expect(policy.mayUseCameraAndMicrophone(url) == vector["permission"].flag, "\(url ?? "no address")")
  }

  @Test("allowed origins", arguments: table["allowedOrigins"].list)
  func allowed(_ vector: Vector) {
    #expect(Self.table["allowedOrigins"].list.count == 2)
    let policy = policy(vector)
    #expect(policy.contentOrigins.map(\.canonical).sorted() == vector["origins"].list.map(\.text))
    let extra = policy.navigationOrigins.subtracting(policy.contentOrigins)
    #expect(extra.map(\.canonical) == vector["navigationExtra"].list.map(\.text))
  }

  @Test("origins and ports")
  func origins() {
    #expect(Self.table["canonicalOrigin"].list.count == 2 && Self.table["resolvedPort"].list.count == 3)
    for entry in Self.table["canonicalOrigin"].list {
      #expect(WebOrigin(url: entry["url"].text)?.canonical == entry["origin"].text)
    }
    for entry in Self.table["resolvedPort"].list {
      #expect(WebOrigin(url: entry["url"].text)?.port == UInt16(entry["port"].number))
    }
  }

  @Test(
    "rejects addresses that parsers interpret differently",
    arguments: [
      "https://self-app-alpha.vercel.app@evil.example/", "https://evil.example\\@self-app-alpha.vercel.app/",
      "https://self-app-alpha.vercel.app\\.evil.example/", "https://self-app-alpha%2evercel.app/",
      "https:///self-app-alpha.vercel.app", "https:self-app-alpha.vercel.app", "https://", "https://:443/",
      "https://self-app-alpha.vercel.app:/", "https://self-app-alpha.vercel.app:99999/",
      "https://self-app-alpha.vercel.app:+443/", "https://self-app-alpha.vercel.app:４４３/",
      " https://self-app-alpha.vercel.app/", "https://self-app-alpha.vercel.app\n/",
      "https://self-app-alpha\t.vercel.app/",
      "https://sélf-app-alpha.vercel.app/", "ftp://self-app-alpha.vercel.app/",
      "javascript://self-app-alpha.vercel.app/",
      "file:///etc/passwd", "data:text/html,x", "about:blank", "//self-app-alpha.vercel.app/", "https://[::1/",
      "https://[self-app-alpha.vercel.app]/", "",
    ])
  func ambiguous(_ url: String) { #expect(WebOrigin(url: url) == nil) }

  @Test("ignores letter case and paths of origins, but not subdomains and trailing dots")
  func sameOrigin() {
    let origin = WebOrigin(.https, "self-app-alpha.vercel.app")
    for url in [
      "HTTPS://Self-App-Alpha.Vercel.App", "https://self-app-alpha.vercel.app:443?x#y",
      "https://self-app-alpha.vercel.app/@evil.example",
    ] {
      #expect(WebOrigin(url: url) == origin)
    }
    for url in [
      "https://a.self-app-alpha.vercel.app", "https://self-app-alpha.vercel.app.",
      "http://self-app-alpha.vercel.app:443",
    ] {
      #expect(WebOrigin(url: url) != origin)
    }
    #expect(WebOrigin(url: "http://[::1]:8080/")?.canonical == "http://[::1]:8080")
  }

  @Test("queries", arguments: BridgeVectors.fixture["queryParams"]["cases"].list)
  func query(_ vector: Vector) throws {
    #expect(BridgeVectors.fixture["queryParams"]["cases"].list.count == 2)
    var config = SelfSdkConfig()
    let given = vector["config"]
    if given["endpoint"].isPresent { config.endpoint = given["endpoint"].text }
    if given["environment"].isPresent {
      config.environment = try #require(SelfSdkConfig.Environment(rawValue: given["environment"].text))
    }
    if given["version"].isPresent { config.version = Int64(given["version"].number) }
    config.appName = given["appName"].optional
    config.appEndpoint = given["appEndpoint"].optional
    config.endpointType = given["endpointType"].optional
    config.chainID = given["chainID"].isPresent ? Int64(given["chainID"].number) : nil
    let wanted = vector["request"]
    let request = VerificationRequest(
      userId: wanted["userId"].optional, scope: wanted["scope"].optional,
      disclosures: wanted["disclosures"].list.map(\.text), verificationId: wanted["verificationId"].optional,
      resultType: wanted["resultType"].optional, excludedCountries: wanted["excludedCountries"].list.map(\.text),
      userIdType: wanted["userIdType"].optional, userDefinedData: wanted["userDefinedData"].optional,
      selfDefinedData: wanted["selfDefinedData"].optional)
    #expect(LaunchQuery.text(config, request) == vector["query"].text)
  }

  @Test("encoding of query values", arguments: BridgeVectors.fixture["queryParams"]["encode"].list)
  func encode(_ vector: Vector) {
    #expect(BridgeVectors.fixture["queryParams"]["encode"].list.count == 8)
    #expect(LaunchQuery.encoded(vector["input"].text) == vector["output"].text)
  }
}

extension Vector {
  fileprivate var optional: String? { isPresent ? text : nil }
}
