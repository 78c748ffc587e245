import Foundation
import TestSupport
import Testing

extension RealPrograms.AsRoot {
  @Suite(
    "The service under a systemd user manager", .enabled(if: UserManagerLab.isEnabled, "no user manager can run here"))
  struct UserManagerTests {
    @Test("is installed, activated by the first call, sandboxed, and uninstalled")
    func wholeLife() async throws {
      let lab = try await UserManagerLab(program: ProgramRun.tessera)
      do {
        try await life(lab)
      } catch {
        await lab.stop()
        throw error
      }
      await lab.stop()
    }

    @Test("its sandbox permits the connection to pcscd", .enabled(if: SmartCardLab.isEnabled))
    func reader() async throws {
      let cards = try await SmartCardLab()
      defer { cards.stop() }
      let lab = try await UserManagerLab(program: ProgramRun.tessera)
      let variables = cards.environment.map { "\($0.key)=\($0.value)" }
      let variablesSet = try await lab.run(["systemctl", "--user", "set-environment"] + variables)
      let installed = try await lab.tessera(["service", "install"])
      let answer = try await lab.tessera(["call", "nfc.isSupported"])
      let state = try await state(lab)
      await lab.stop()
      #expect(variablesSet.status == 0 && installed.status == 0, "\(installed.errors)")
      #expect(answer.output == "true\n", "\(answer.errors)")
      #expect(state == ["active", "active"])
    }

    private func life(_ lab: UserManagerLab) async throws {
      let installed = try await lab.tessera(["service", "install", "--virtual"])
      #expect(installed.status == 0, "\(installed.errors)")
      #expect(installed.output.hasSuffix("listening; `tessera service status` shows the state\n"))
      #expect(try await state(lab) == ["active", "inactive"])
      let key = #"{"passportNumber":"TS0264718","dateOfBirth":"900214","dateOfExpiry":"350630"}"#
      let scan = try await lab.tessera([
        "call", "nfc.scan", key, "--socket", "\(UserManagerLab.runtime)/tessera/bridge.sock",
      ])
      #expect(scan.status == 0, "\(scan.errors)")
      #expect(scan.output.contains("\"passportData\""))
      #expect(try await state(lab) == ["active", "active"])
      let made = try await lab.tessera(["call", "crypto.generateKey", #"{"keyRef":"k"}"#])
      #expect(made.status == 0, "\(made.errors)")
      #expect(try await lab.tessera(["service", "status"]).status == 0)

      let shown = try await lab.run(["systemctl", "--user", "show", "-p", "MainPID", "--value", "tessera.service"])
      let process = try #require(Int(shown.output.trimmingCharacters(in: .whitespacesAndNewlines)))
      let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      // No capabilities, and no way to get any: a program that is started cannot have more.
      let none = "0000000000000000"
      for line in [
        "NoNewPrivs:\t1\n", "Seccomp:\t2\n", "CapInh:\t\(none)\n", "CapPrm:\t\(none)\n", "CapEff:\t\(none)\n",
      ] {
        #expect(status.contains(line), "\(line)")
      }
      let tries = try await lab.inside(
        process,
        """
        touch /usr/x || echo usr; touch ~/x || echo home; touch ~/.config/tessera || echo settings
        touch ~/.local/share/tessera/x && echo data; cat /dev/null && echo devices; touch /tmp/x || echo tmp
        """)
      #expect(tries.output == "usr\nhome\nsettings\ndata\ndevices\ntmp\n")

      let uninstalled = try await lab.tessera(["service", "uninstall"])
      #expect(uninstalled.status == 0)
      #expect(!FileManager.default.fileExists(atPath: "/proc/\(process)"))
      #expect(try await state(lab) == ["inactive", "inactive"])
      #expect(try await lab.tessera(["service", "status"]).status == 3)
      // The key remains.
      #expect(try await lab.tessera(["key", "list"]).output.contains("k"))
    }

    /// The states of the socket unit and the service unit.
    private func state(_ lab: UserManagerLab) async throws -> [String] {
      let run = try await lab.run(["systemctl", "--user", "is-active", "tessera.socket", "tessera.service"])
      return run.output.split(separator: "\n").map(String.init)
    }
  }
}
