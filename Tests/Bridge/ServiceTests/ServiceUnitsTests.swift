import TesseraCore
import Testing

@testable import TesseraService

@Suite("systemd units")
struct ServiceUnitsTests {
  private func units(_ word: String, place: Int) throws -> ServiceUnits {
    try ServiceUnits(
      program: place == 0 ? word : "/bin/tessera", arguments: place == 1 ? [word] : [],
      writableFolders: place == 2 ? [word] : [],
      environment: place == 3 ? ["XDG_DATA_HOME": word] : place == 4 ? [word: "x"] : [:], startsWithSession: false)
  }

  @Test("refuses control characters, which could inject a line into a unit", arguments: 0..<5)
  func lines(_ place: Int) throws {
    for end in ["\n", "\r\n", "\r", "\u{0}", "\u{85}", "\u{B}"] {
      let error = #expect(throws: Failure.self) { try units("/tmp/x\(end)ExecStartPre=/bin/evil", place: place) }
      #expect(error?.kind == .usage)
    }
    let lines = try units("/tmp/x", place: place).service.split(separator: "\n").count
    #expect(try units("/tmp/ x\u{2028}y\"'", place: place).service.split(separator: "\n").count == lines)
  }

  @Test("a service of pages sees its callers: it has no user namespace, and all other protections")
  func callers() throws {
    func lines(_ seesCallers: Bool) throws -> Set<Substring> {
      let units = try ServiceUnits(
        program: "/bin/tessera", arguments: [], writableFolders: ["/data"], startsWithSession: true,
        seesCallers: seesCallers)
      return Set(units.service.split(separator: "\n").filter { !$0.hasPrefix("#") })
    }
    let missing = try lines(false).subtracting(lines(true))
    #expect(
      missing == [
        "PrivateUsers=yes", "ProtectSystem=strict", "ProtectHome=read-only", "ReadWritePaths=-%t/tessera",
        "ReadWritePaths=-/data", "ProtectKernelTunables=yes", "ProtectControlGroups=yes", "ProtectHostname=yes",
      ])
    #expect(try lines(true).isSubset(of: lines(false)))
  }

  @Test("tells a unit of an earlier version, which serves pages from a user namespace, from others")
  func outdated() throws {
    func unit(_ arguments: [String], _ seesCallers: Bool) throws -> String {
      try ServiceUnits(
        program: "/bin/tessera", arguments: arguments, writableFolders: [], startsWithSession: true,
        seesCallers: seesCallers
      ).service
    }
    let pages = ["--websocket", "127.0.0.1:8484"]
    #expect(ServiceUnits.hidesCallers(try unit(pages, false)))
    #expect(ServiceUnits.hidesCallers(try unit(pages + ["--page"], false)))
    #expect(!ServiceUnits.hidesCallers(try unit(pages, true)))
    #expect(!ServiceUnits.hidesCallers(try unit([], false)))
    #expect(!ServiceUnits.hidesCallers(try unit(pages + ["--allow-sandboxed-browsers"], false)))
    #expect(!ServiceUnits.hidesCallers(try unit(pages, false) + "\nPrivateUsers=no\n"))
  }

  @Test("have no remedy where no service responds that cannot help there")
  func remedies() {
    let idle = UserManager.running(socket: "inactive", service: "inactive")
    let running = [
      idle, .running(socket: "active", service: "failed"), .running(socket: "failed", service: "inactive"),
    ]
    for manager in running {
      // The units are there: to install them again is no help.
      let remedy = manager.remedy(isInstalled: true, user: "kiosk")
      #expect(remedy.hasPrefix("Run: systemctl --user ") && !remedy.contains("install"), "\(remedy)")
      #expect(manager.remedy(isInstalled: false, user: "kiosk").contains("tessera service install"))
      #expect(manager.obstacle == nil)
    }
    for isInstalled in [false, true] {
      let none = UserManager.noSystemd.remedy(isInstalled: isInstalled, user: "kiosk")
      #expect(none.contains("`tessera serve`") && !none.contains("install") && !none.contains("systemctl"), "\(none)")
      let absent = UserManager.notRunning.remedy(isInstalled: isInstalled, user: "kiosk")
      #expect(absent.contains("enable-linger kiosk") && absent.contains("service install") == !isInstalled, "\(absent)")
      let lost = UserManager.notReached(folder: "/run/user/7").remedy(isInstalled: isInstalled, user: "kiosk")
      #expect(lost.contains("XDG_RUNTIME_DIR=/run/user/7"))
    }
    #expect(UserManager.noSystemd.obstacle?.contains("tessera serve") == true)
    #expect(UserManager.noSystemd.folderRemedy(user: "kiosk").contains("linger") == false)
    #expect(idle.state == "socket inactive, service inactive")
  }

  @Test("escapes characters with a meaning for systemd, also before a combining mark")
  func quoting() throws {
    #expect(ServiceUnits.quoted("/usr/bin/tessera") == "/usr/bin/tessera")
    #expect(ServiceUnits.quoted("") == "\"\"")
    #expect(ServiceUnits.quoted("a b\"%$\\", isArgument: true) == #""a b\"%%$$\\""#)
    #expect(ServiceUnits.quoted("A=a$b") == #""A=a$b""#)
    // systemd 252 replaces variables in arguments, and not in the path of the program.
    #expect(try units("/a $b%/tessera", place: 0).service.contains(#"ExecStart="/a $b%%/tessera" serve"#))
    #expect(try units("a $b%", place: 1).service.contains(#"ExecStart=/bin/tessera serve "a $$b%%""#))
    #expect(ServiceUnits.quoted("a\"\u{301}%\u{301}") == "\"a\\\"\u{301}%%\u{301}\"")
  }
}
