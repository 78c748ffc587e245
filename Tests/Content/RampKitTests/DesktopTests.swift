import Foundation
import RampKit
import TesseraHTTPClient
import TesseraThreads
import TestSupport
import Testing

@testable import RampKit
@testable import RampKitFlow

extension RealPrograms {
  /// What RampKit asks the desktop for, on a session bus of its own with the parts of a desktop in Python.
  @Suite(.enabled(if: SecretServiceLab.isEnabled, "\(SecretServiceLab.unavailableReason ?? "")"))
  struct DesktopTests {
    private final class Desktop: Sendable {
      let bus: SecretServiceLab
      private let program: RunningProgram?

      /// - Parameter parts: `portal` and `notifications`.
      init(_ parts: [String]) async throws {
        bus = try await SecretServiceLab(hasKeyring: false)
        guard !parts.isEmpty else {
          program = nil
          return
        }
        let script = Fixtures.tests.appendingPathComponent("Content/RampKitTests/desktop.py").path
        let program = try RunningProgram(
          URL(fileURLWithPath: "/usr/bin/python3"), [script] + parts, environment: bus.environment)
        self.program = program
        _ = await program.wait { $0.output.contains("\n") || !$0.isRunning }
        try #require(program.isRunning, "\(program.errors)")
      }

      deinit {
        program?.send(signal: SIGKILL)
        bus.stop()
      }

      var client: DesktopBus { DesktopBus(address: .at(bus.address)) }

      /// The calls so far, after at least this many.
      func calls(_ count: Int) async -> [String] {
        _ = await program?.wait(within: 120) { $0.output.split(separator: "\n").count > count }
        return program?.output.split(separator: "\n").dropFirst().map(String.init) ?? []
      }
    }

    @Test func theportalOpensAddresses() async throws {
      let desktop = try await Desktop(["portal"])
      #expect(await desktop.client.open("https://a.example/?q=1"))
      #expect(await desktop.calls(1) == [#"["OpenURI", "", "https://a.example/?q=1"]"#])
    }

    @Test func withoutAPortalNothingIsOpenedByTheBus() async throws {
      #expect(await !(try Desktop([])).client.open("https://a.example/"))
      #expect(await !DesktopBus(address: .at("unix:path=/nowhere")).open("https://a.example/"))
    }

    @Test func notificationsAreThereOrNot() async throws {
      let desktop = try await Desktop(["notifications"])
      #expect(await desktop.client.hasNotifications())
      #expect(await desktop.client.notify(application: "desk", title: "Title", body: "a <b> & c"))
      #expect(await desktop.calls(1) == [#"["Notify", "desk", "Title", "a &lt;b&gt; &amp; c"]"#])
      let none = try await Desktop(["portal"])
      #expect(await !none.client.hasNotifications())
      #expect(await !none.client.notify(application: "desk", title: "Title", body: ""))
      #expect(await !DesktopBus(address: .at("unix:path=/nowhere")).hasNotifications())
    }

    @Test(arguments: [
      (NotificationPermission.granted, true, false), (.denied, false, false), (.unavailable, false, true),
      (.undetermined, false, true),
    ])
    func theAnswerThatPagesReceive(permission: NotificationPermission, isGranted: Bool, canAskAgain: Bool) {
      #expect(
        permission.json == [
          "granted": .bool(isGranted), "status": .string(permission.rawValue), "canAskAgain": .bool(canAskAgain),
        ])
    }
  }
}
