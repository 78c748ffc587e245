import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("Permissions in a window")
  struct PermissionTests {
    @Test("the user is asked once for a device; always and never are kept, once lasts as long as the window")
    func answers() async throws {
      let lab = try await WindowLab()
      let site = try await PageSite()
      let file = lab.home.file("config/tessera/grants")
      let seen = try await lab.run(["permissions", site.ports[0], file])
      let origin = "http://127.0.0.1:\(site.ports[0])"
      func check(_ name: String, asked: [String], codes: [String]) {
        #expect(seen[name]["asked"]?.texts == asked.map { "\(origin) \($0)" }, "\(name)")
        #expect(seen[name]["codes"]?.texts == codes, "\(name)")
      }
      check("free", asked: [], codes: ["done", "done", "done"])
      check("closed", asked: ["documents"], codes: ["NOT_ALLOWED"])
      check("closed, at once again", asked: [], codes: ["NOT_ALLOWED"])
      check("one after the other", asked: ["secureStorage", "crypto"], codes: ["NOT_ALLOWED", "NOT_ALLOWED"])
      #expect(seen["600 requests"] == "600")
      check("once, for two requests", asked: ["nfc"], codes: ["done", "done"])
      check("again in the same window", asked: [], codes: ["done"])
      check("always", asked: ["haptic"], codes: ["done"])
      check("never", asked: ["camera"], codes: ["NOT_ALLOWED"])
      check("never, again", asked: [], codes: ["NOT_ALLOWED"])
      check("a domain of the program", asked: ["printer"], codes: ["done", "done"])
      let lines = try String(contentsOfFile: file, encoding: .utf8)
      #expect(lines == "\(origin) = haptic\n\(origin) = !camera\n")
      #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)

      // The program shows and withdraws them.
      let list = try await ProgramRun.tessera(["grants"], environment: lab.environment)
      #expect(list.output == lines)
      let json = try JSONValue(
        text: try await ProgramRun.tessera(["grants", "list", "--json"], environment: lab.environment).output)
      #expect(json["grants"]?.elements.first?["granted"] == ["haptic"])
      #expect(json["grants"]?.elements.last?["denied"] == ["camera"])
      let withdrawn = try await ProgramRun.tessera(
        ["grants", "withdraw", origin, "camera"], environment: lab.environment)
      #expect(withdrawn.status == 0 && withdrawn.output == "withdrawn: \(origin) = !camera\n")
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "\(origin) = haptic\n")
      let nothing = try await ProgramRun.tessera(["grants", "withdraw", origin, "nfc"], environment: lab.environment)
      #expect(nothing.status == 2 && nothing.errors.contains("tessera grants"))
      let all = try await ProgramRun.tessera(["grants", "withdraw", origin], environment: lab.environment)
      #expect(all.status == 0)
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "")
    }

    @Test("the dialog names the origin and the device, belongs to the desktop, and takes its answer from the keyboard")
    func dialog() async throws {
      let lab = try await WindowLab()
      let site = try await PageSite()
      let origin = "http://127.0.0.1:\(site.ports[0])"
      let program = try await lab.open(["--virtual", "--debug", "\(origin)/asking.html"])
      defer { program.send(signal: SIGKILL) }
      var dialogs: [String] = []
      var begin = ContinuousClock.now
      _ = try await isTrue(within: .seconds(120), every: .milliseconds(50)) {
        begin = .now
        dialogs = try await lab.windows("Allow this?")
        return !dialogs.isEmpty
      }
      let dialog = try #require(dialogs.first)
      // What was typed for the page answers nothing: the buttons wait for half a second.
      try await lab.press(["space", "Return"], in: dialog)
      // A busy machine may type too late for that.
      if ContinuousClock.now - begin < .milliseconds(400) {
        try await site.settle()
        #expect(site.reports("report") == [])
      }
      // Then the focus is on "Never".
      var looks = 0
      _ = try await isTrue(within: .seconds(120), every: .milliseconds(250)) {
        defer { looks += 1 }
        if !site.reports("report").isEmpty { return true }
        if looks > 0, try await !lab.windows("Allow this?").isEmpty { try await lab.press(["Return"], in: dialog) }
        return false
      }
      #expect(site.reports("report") == ["NOT_ALLOWED"])
      let file = lab.home.file("config/tessera/grants")
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "\(origin) = !nfc\n")
    }

    @Test("a launch that ends while the dialog is open takes the dialog with it")
    func endWithDialog() async throws {
      let lab = try await WindowLab()
      let site = try await PageSite()
      let program = try await lab.open(["--virtual", "--debug", "http://127.0.0.1:\(site.ports[0])/asking.html"])
      _ = try await lab.window("Allow this?")
      program.send(signal: SIGTERM)
      #expect(await program.finish(within: 120).status == 128 + SIGTERM)
    }
  }
}
