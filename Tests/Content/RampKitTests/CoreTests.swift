import Foundation
import RampKit
import TesseraHTTPClient
import TesseraThreads
import TestSupport
import Testing

@testable import RampKit
@testable import RampKitFlow

extension RealPrograms {
  /// `configure` with a server of its own. No display is needed.
  @Suite @MainActor struct CoreTests {
    // MARK: - Loading

    @Test func theManifestLeadsToAFlow() async throws {
      let lab = try await CoreLab()
      try lab.publish("app-1/manifest.json", lab.manifest(["flow.json"]))
      try lab.publish("flow.json", Self.sample)
      await lab.core.configure(config: lab.config)
      #expect(lab.core.getOnboardingData()?.onboardingId == "ob-demo-3")
      #expect(lab.core.getTargetingResult()?.choice.id == "flow.json")
      #expect(lab.core.getUserId()?.hasPrefix("rk_") == true)
      let requests = await lab.server.requests(2)
      #expect(requests.map { $0["path"].text } == ["/folder/app-1/manifest.json", "/folder/flow.json"])
      for request in requests {
        #expect(request["headers"]["cache-control"].text == "no-cache")
        #expect(request["headers"]["pragma"].text == "no-cache")
      }
    }

    @Test func anAddressOfAFlowSkipsTheManifest() async throws {
      let lab = try await CoreLab()
      try lab.publish("flow.json", Self.sample)
      var config = lab.config
      config.customOnboardingURL = lab.server.address("folder/flow.json")
      await lab.core.configure(config: config)
      #expect(lab.core.getOnboardingData()?.screens.count == 3)
      #expect(lab.core.getTargetingResult() == nil)
      #expect(await lab.server.requests(1).map { $0["path"].text } == ["/folder/flow.json"])
    }

    private nonisolated static let badPaths = [
      "folder/missing.json", "folder/bad.json", "status/500", "stall", "truncated", "large", "compressed", "plain",
    ]

    /// A busy machine may take long for an answer that comes.
    private nonisolated static func timeLimit(_ path: String) -> Duration {
      path == "stall" ? .seconds(2) : .seconds(60)
    }

    @Test(arguments: badPaths) func aBadManifestIsNoData(path: String) async throws {
      let lab = try await CoreLab(timeLimit: Self.timeLimit(path))
      try lab.publish("bad.json", Array(#"{"targets": ["#.utf8))
      var config = lab.config
      // The manifest is below the base.
      config.manifestBase = lab.server.address("folder")
      config.appId = "app"
      if path == "folder/bad.json" {
        try lab.publish("app/manifest.json", Array(#"{"targets": ["#.utf8))
      } else if path != "folder/missing.json" {
        // A redirect leads to what the server does.
        config.manifestBase = lab.server.address("elsewhere/\(path.replacing("/", with: "-"))")
      }
      await lab.core.configure(config: config)
      #expect(lab.core.getOnboardingData() == nil && lab.core.getTargetingResult() == nil)
      #expect(await lab.server.requests(1).count >= 1)
    }

    @Test(arguments: badPaths + ["folder/empty-target.json", "host"])
    func nothingThatAServerAnswersEndsTheProgram(path: String) async throws {
      let lab = try await CoreLab(timeLimit: Self.timeLimit(path))
      try lab.publish("bad.json", Array(#"{"screens": ["#.utf8))
      try lab.publish(
        "empty-target.json", Array(#"{"targets":[{"id":"a","name":"a","priority":1,"onboardings":[]}]}"#.utf8))
      var config = lab.config
      config.customOnboardingURL = lab.server.address(path)
      await lab.core.configure(config: config)
      #expect(lab.core.getOnboardingData() == nil)
      #expect(lab.core.getUserId() != nil, "the rest works")
      lab.core.showOnboarding()
      #expect(await lab.core.waitUntilClosed() == nil)
    }

    @Test func aTargetWithoutAFlowIsNoData() async throws {
      let lab = try await CoreLab()
      try lab.publish("app-1/manifest.json", lab.manifest([]))
      await lab.core.configure(config: lab.config)
      #expect(lab.core.getOnboardingData() == nil && lab.core.getTargetingResult() == nil)
    }

    @Test func withoutAddressesNothingIsAsked() async throws {
      let lab = try await CoreLab()
      await lab.core.configure(config: RampKitConfig(appId: "app-1"))
      lab.core.setAppUserID("somebody")
      try await Task.sleep(for: .milliseconds(300))
      #expect(await lab.requestCount() == 0)
    }

    // MARK: - Identity

    @Test func theIdentifierIsMadeOnceAndStays() async throws {
      let storage = MemoryStorage()
      let first = await UserIdentity(storage: storage, owner: Self.owner).identifier()
      #expect(first.isStored)
      #expect(
        first.value.wholeMatch(of: /rk_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
      #expect(await UserIdentity(storage: storage, owner: Self.owner).identifier() == first)
    }

    @Test func anIdentifierWithoutPrefixReceivesIt() async throws {
      let storage = MemoryStorage()
      try await storage.set("rk_user_id", "6f1d2c3b-4a59-4e68-9d7c-8b6a5f4e3d2c", for: Self.owner)
      let migrated = await UserIdentity(storage: storage, owner: Self.owner).identifier()
      #expect(migrated.value == "rk_6f1d2c3b-4a59-4e68-9d7c-8b6a5f4e3d2c")
      #expect(try await storage.get("rk_user_id", for: Self.owner) == migrated.value)
    }

    @Test(arguments: [true, false]) func aStoreThatCannotBeUsedStillHasAnIdentifier(reads: Bool) async throws {
      let identity = await UserIdentity(storage: BrokenStorage(reads: reads), owner: Self.owner).identifier()
      #expect(identity.value.hasPrefix("rk_") && !identity.isStored)
    }

    @Test func eachProgramHasItsOwnIdentifierAndAnswers() async throws {
      let storage = MemoryStorage()
      let one = FlowOwner.program("one")
      let two = FlowOwner.program("two/x")
      let first = await UserIdentity(storage: storage, owner: one).identifier()
      #expect(await UserIdentity(storage: storage, owner: two).identifier() != first)
      try await AnswersStore(storage: storage, owner: one).set(["a": 1])
      #expect(try await AnswersStore(storage: storage, owner: two).answers() == [:])
      let owners = [
        one, two, FlowOwner.flow("x", of: "two"), FlowOwner.flow("", of: "two/x"), FlowOwner.flow("x", of: "one"),
      ]
      #expect(Set(owners).count == owners.count)
    }

    /// Whatever was asked before: an identifier of one program is never that of another.
    @Test func anotherProgramIsAnotherUser() async throws {
      let lab = try await CoreLab()
      let early = await lab.core.getRampKitUserId()
      var seen = [early]
      for name in ["one", "two"] {
        var config = RampKitConfig()
        config.appName = name
        await lab.core.configure(config: config)
        seen.append(lab.core.getUserId() ?? "")
        #expect(lab.core.getDeviceInfo().launchCount == 1, "\(name)")
        #expect(await lab.core.getRampKitUserId() == seen.last)
      }
      #expect(Set(seen).count == 3)
      // What one program has counted is not the other's.
      for (name, count) in [("one", 2), ("three", 1)] {
        var config = RampKitConfig()
        config.appName = name
        await lab.core.configure(config: config)
        #expect(lab.core.getDeviceInfo().launchCount == count, "\(name)")
        #expect((lab.core.getDeviceInfo().lastLaunchAt == nil) == (count == 1), "\(name)")
      }
      await lab.core.configure(config: RampKitConfig())
      #expect(lab.core.getUserId() == early)
    }

    /// An address that does not answer, and then another configuration.
    @Test func aLaterConfigurationReplacesAnEarlierOne() async throws {
      let lab = try await CoreLab(timeLimit: .seconds(600))
      try lab.publish("flow.json", Self.sample)
      var slow = lab.config
      slow.customOnboardingURL = lab.server.address("stall")
      let earlier = Task { [core = lab.core] in await core.configure(config: slow) }
      try await eventually { await lab.requestCount() != 0 }
      var config = lab.config
      config.customOnboardingURL = lab.server.address("folder/flow.json")
      await lab.core.configure(config: config)
      earlier.cancel()
      await earlier.value
      #expect(lab.core.getOnboardingData()?.onboardingId == "ob-demo-3")
    }

    @Test func resetKeepsTheIdentifierAndForgetsTheAnswers() async throws {
      let lab = try await CoreLab()
      await lab.core.configure(config: RampKitConfig())
      let identifier = lab.core.getUserId()
      try await AnswersStore(storage: lab.storage, owner: Self.owner).set(["name": "Ada"])
      #expect(await lab.core.getAnswer("name") == "Ada")
      await lab.core.reset()
      #expect(lab.core.getUserId() == identifier)
      #expect(await lab.core.getAnswers() == [:])
      #expect(lab.core.getDeviceInfo().launchCount == 1, "this is no new launch")
    }

    @Test func launchesAreCountedInAPrivateFile() async throws {
      let lab = try await CoreLab()
      for count in 1...2 {
        let core = RampKitCore(services: lab.services)
        await core.configure(config: RampKitConfig())
        let device = core.getDeviceInfo()
        #expect(device.launchCount == count && device.isFirstLaunch == (count == 1))
        #expect((device.lastLaunchAt == nil) == (count == 1))
      }
      let path = LaunchRecord.path(lab.services.environment, appName: "rampkit")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      try Data("{broken".utf8).write(to: URL(fileURLWithPath: path))
      let core = RampKitCore(services: lab.services)
      await core.configure(config: RampKitConfig())
      #expect(core.getDeviceInfo().launchCount == 1)
    }

    // MARK: - Events

    @Test func eventsHaveTheFormOfTheSample() async throws {
      let lab = try await CoreLab()
      try lab.publish("app-1/manifest.json", lab.manifest(["flow.json"]))
      try lab.publish("flow.json", Self.sample)
      var config = lab.config
      config.functionsBase = lab.server.address("functions")
      config.apiKey = "public-key"
      config.appVersion = "1.0"
      await lab.core.configure(config: config)
      let requests = await lab.server.requests(6)
      let posts = requests.filter { $0["method"].text == "POST" }
      #expect(posts.allSatisfy { $0["headers"]["apikey"].text == "public-key" })
      #expect(posts.allSatisfy { $0["headers"]["content-type"].text == "application/json" })
      let users = posts.filter { $0["path"].text == "/functions/app-users?appId=app-1" }
      #expect(users.count == 2, "before and after targeting")
      let bodies = try users.map { try JSONValue(text: $0["body"].text) }
      #expect(bodies.contains { $0["matchedOnboardingId"] == "flow.json" })
      for body in bodies {
        #expect(body["appUserId"]?.stringValue == lab.core.getUserId() && body["vendorId"] == .null)
        #expect(body["platform"] == "Linux" && body["deviceName"] == "Linux")
      }
      let events = try posts.filter { $0["path"].text == "/functions/app-user-events" }
        .map { try JSONValue(text: $0["body"].text) }
      #expect(Set(events.compactMap { $0["eventName"]?.stringValue }) == ["app_session_started", "target_matched"])
      let sample = try JSONValue(
        text: String(decoding: Self.fixture("rampkit-event"), as: UTF8.self))
      for event in events {
        #expect(Self.names(event) == Self.names(sample))
        #expect(Self.names(event["device"]) == Self.names(sample["device"]))
        #expect(
          Self.names(event["context"]).isSubset(of: [
            "screenName", "flowId", "variantId", "paywallId", "locale", "regionCode", "placement",
          ]))
        #expect(event["context"]?["locale"] == "de_AT" && event["context"]?["regionCode"] == "AT")
        #expect(event["appUserId"]?.stringValue == lab.core.getUserId())
        #expect(event["occurredAt"]?.stringValue?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
      }
      let matched = events.first { $0["eventName"] == "target_matched" }
      #expect(matched?["properties"]?["targetId"] == "t" && matched?["properties"]?["bucket"] == 0)
    }

    @Test func customEventsCarryNoTarget() {
      var frame = EventSender.Frame(appId: "a", device: DeviceInfo())
      frame.targeting = Targeting.Result(
        target: .init(id: "t", name: "t", priority: 0), choice: .init(id: "c", allocation: 1, url: ""), bucket: 7)
      let known = EventSender.body(FlowEvent("cta_tap", ["buttonId": "b"]), frame, Date())
      #expect(known["properties"] == ["buttonId": "b", "targetId": "t", "bucket": 7])
      let custom = EventSender.body(FlowEvent("mine", ["a": 1], isKnown: false), frame, Date())
      #expect(custom["properties"] == ["a": 1])
    }

    @Test func aServerThatRefusesEventsIsNoProblem() async throws {
      let lab = try await CoreLab()
      var config = RampKitConfig(appId: "app-1")
      config.functionsBase = lab.server.address("functions/broken")
      await lab.core.configure(config: config)
      #expect(await lab.server.requests(2).count == 2)
      #expect(lab.core.getUserId() != nil)
    }

    // MARK: - Support

    private static let owner = FlowOwner.program("rampkit")

    private static let sample = fixture("rampkit-onboarding")

    private static func fixture(_ name: String) -> [UInt8] {
      let url = Fixtures.tests.appendingPathComponent("Content/RampKitFlowTests/Fixtures/\(name).json")
      return (try? Data(contentsOf: url)).map(Array.init) ?? []
    }

    private static func names(_ value: JSONValue?) -> Set<String> {
      if case .object(let members)? = value { Set(members.names) } else { [] }
    }
  }
}

/// A core with a server, a memory for secrets, and a folder of its own.
@MainActor
private final class CoreLab {
  let server: TLSServer
  let storage = MemoryStorage()
  let core: RampKitCore
  let services: RampKitServices
  private let published: TemporaryFolder
  private let home: TemporaryFolder

  init(timeLimit: Duration? = nil) async throws {
    published = try TemporaryFolder()
    home = try TemporaryFolder()
    server = try await TLSServer(published: published.url.path)
    let client = HTTPSClient(environment: ["SSL_CERT_FILE": server.certificateFile])
    services = RampKitServices(
      transport: timeLimit.map { HastyTransport(transport: client, timeLimit: $0) } ?? client, storage: storage,
      haptics: NoHaptics(), links: NoLinks(), notifications: NoNotifications(),
      environment: ["XDG_STATE_HOME": home.url.path, "LANG": "de_AT.UTF-8"], now: { Date() })
    core = RampKitCore(services: services)
  }

  var config: RampKitConfig {
    var config = RampKitConfig(appId: "app-1")
    config.manifestBase = server.address("folder")
    return config
  }

  func publish(_ name: String, _ bytes: [UInt8]) throws {
    let url = published.url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  /// A manifest with one target for everybody.
  func manifest(_ flows: [String]) -> [UInt8] {
    let choices = flows.map { name -> JSONValue in
      ["id": .string(name), "allocation": 100, "url": .string(server.address("folder/\(name)"))]
    }
    let manifest: JSONValue = [
      "appId": "app-1",
      "targets": [["id": "t", "name": "All", "priority": 0, "onboardings": .array(choices)]],
    ]
    return Array(manifest.text.utf8)
  }

  /// The number of requests so far.
  func requestCount() async -> Int { await server.requests(0).count }
}

/// The time limit of a request is that of the test.
private struct HastyTransport: HTTPTransport {
  let transport: any HTTPTransport
  let timeLimit: Duration

  func response(to request: HTTPRequest) async throws -> HTTPResponse {
    var request = request
    request.timeLimit = timeLimit
    return try await transport.response(to: request)
  }
}

final class MemoryStorage: SecureStorageProvider {
  private let values = Locked<[[String]: String]>([:])

  func get(_ key: String, for caller: Caller) async throws -> String? { values.withLock { $0[["\(caller)", key]] } }
  func set(_ key: String, _ value: String, for caller: Caller) async throws {
    values.withLock { $0[["\(caller)", key]] = value }
  }
  func remove(_ key: String, for caller: Caller) async throws { values.withLock { $0[["\(caller)", key]] = nil } }
  func clear(for caller: Caller) async throws { values.withLock { $0 = [:] } }
}

private struct BrokenStorage: SecureStorageProvider {
  private struct Broken: Error {}
  let reads: Bool
  func get(_ key: String, for caller: Caller) async throws -> String? {
    guard reads else { throw Broken() }
    return nil
  }
  func set(_ key: String, _ value: String, for caller: Caller) async throws { throw Broken() }
  func remove(_ key: String, for caller: Caller) async throws { throw Broken() }
  func clear(for caller: Caller) async throws { throw Broken() }
}

struct NoHaptics: HapticProvider {
  func isAvailable() async -> Bool { false }
  func impact(_ style: HapticImpactStyle) async {}
  func notification(_ type: HapticNotificationType) async {}
  func selection() async {}
}

struct NoLinks: LinkOpening {
  func open(_ address: String) async -> Bool { false }
}

struct NoNotifications: NotificationShowing {
  func isPossible() async -> Bool { false }
  func show(application: String, title: String, body: String) async -> Bool { false }
}
