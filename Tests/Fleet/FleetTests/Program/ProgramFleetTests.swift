import Foundation
import TesseraBridge
import TesseraCore
import TesseraFleet
import TesseraPassport
import TesseraReaders
import TesseraVirtualChip
import TestSupport
import Testing

extension RealPrograms {
  /// The whole path by the programs: server, inspectors, desks.
  @Suite("The programs of a fleet", .enabled(if: ProgramFleet.isEnabled, "nats-server is not installed"))
  struct ProgramFleetTests {
    // MARK: - Reading

    @Test("a witnessed read prints the inspector's report as `passport read` does, and one JSON object")
    func witnessed() async throws {
      let fleet = try await ProgramFleet()
      let inspectors = [try await fleet.inspector("i1"), try await fleet.inspector("i2")]
      let run = try await fleet.tessera(["fleet", "read", "--virtual"] + fleet.desk("lobby"))
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.hasPrefix("Genuine, by the test country of Tessera.\n"))
      #expect(run.output.contains("Surname        SPECIMEN\n") && run.output.contains("passed       passive.chain"))
      #expect(
        run.output.contains("Judged by an inspector with certificates of its own, in 2 round trips. Recorded as "))

      let object = try JSONValue(
        text: try await fleet.tessera(["fleet", "read", "--virtual", "--json"] + fleet.desk("bar")).output)
      let alone = try JSONValue(text: try await fleet.tessera(["passport", "read", "--virtual", "--json"]).output)
      guard case .object(let members) = object, case .object(let expected) = alone else {
        Issue.record("no objects")
        return
      }
      #expect(Set(members.names) == Set(expected.names).union(["fleet"]))
      #expect(object["outcome"] == "genuine" && object["fleet"]?["recorded"] == .bool(true))
      #expect(object["fleet"]?["mode"] == "witnessed" && object["fleet"]?["roundTrips"] == 2)
      #expect(object["fleet"]?["attempts"] == 1 && object["fleet"]?["trustVersion"] == .null)

      let status = try await fleet.status()
      #expect(status["inspectors"]?.items.count == 2)
      #expect(status["reads"] == ["genuine": 2] && status["record"]?["messages"] == 2)
      #expect(Set(status["desks"]?.items.compactMap { $0["desk"]?.stringValue } ?? []) == ["lobby", "bar"])
      for inspector in inspectors {
        inspector.send(signal: SIGTERM)
        #expect(await inspector.finish().status == 0)
      }
    }

    @Test("a chip that proves itself takes one more round trip")
    func proof() async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1", ["--virtual", "all"])
      defer { inspector.send(signal: SIGKILL) }
      let run = try await fleet.tessera(["fleet", "read", "--virtual", "all", "--json"] + fleet.desk("lobby"))
      let object = try JSONValue(text: run.output)
      #expect(run.status == 0 && object["outcome"] == "genuine" && object["fleet"]?["roundTrips"] == 3)
      #expect(object["checks"]?.items.first { $0["id"] == "chip.authentication" }?["status"] == "passed")
    }

    @Test("an inspector that the servers no longer accept ends with an error")
    func expelled() async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i2")
      let port = fleet.address.dropFirst("nats://".count)
      let configured = try await fleet.tessera([
        "fleet", "configure", "--desks", "lobby,bar", "--inspectors", "1", "--out", fleet.folder.file("fleet"),
        "--server",
        "nats=\(port)",
      ])
      #expect(configured.status == 0, "\(configured.errors)")
      fleet.server.send(signal: SIGHUP)
      let run = await inspector.finish()
      #expect(run.status == 3, "\(run.errors)")
      #expect(run.errors.contains("closed"), "\(run.errors)")
    }

    @Test("a program that imports TesseraFleet is a desk")
    func swiftProgram() async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1", ["--virtual", "all"])
      defer { inspector.send(signal: SIGKILL) }
      let servers = FleetServers([fleet.address], seedFile: fleet.folder.file("fleet/desk-lobby.nk"))
      let profile = try #require(ChipProfile(named: "all"))
      let document = try SpecimenDocument(profile: profile)
      let key = try #require(document.files.mrzInformation)
      let reading = try await readAtDesk(
        servers, name: "lobby", source: .virtual(profile, document.files), request: InspectionRequest(key: .mrz(key)))
      #expect(reading?.outcome == .genuine && reading?.recorded == true)
      let others = FleetServers([fleet.address], seedFile: fleet.folder.file("fleet/none.nk"))
      await #expect(throws: Failure.self) { try await FleetDesk.connect(to: others, as: #require(DeskName("lobby"))) }
    }

    /// As the article writes it.
    private func readAtDesk(
      _ servers: FleetServers, name: String, source: CardSource, request: InspectionRequest
    ) async throws -> FleetReading? {
      guard let name = DeskName(name) else { return nil }
      let desk = try await FleetDesk.connect(to: servers, as: name, within: .seconds(1200))
      let reading = try await desk.read(source, request, mode: .witnessed)
      await desk.close()
      return reading
    }

    @Test("after a remote read the desk has the verdict, and nothing of the document")
    func remote() async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1")
      defer { inspector.send(signal: SIGKILL) }
      let arguments = ["fleet", "read", "--virtual", "--fleet-reading", "remote"] + fleet.desk("lobby")
      let run = try await fleet.tessera(arguments)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.hasPrefix("Genuine, by the test country of Tessera.\nJudged by an inspector"))
      #expect(!run.output.contains("SPECIMEN") && !run.output.contains("TS02"))
      let object = try JSONValue(text: try await fleet.tessera(arguments + ["--json"]).output)
      guard case .object(let members) = object else {
        Issue.record("no object")
        return
      }
      #expect(members.names.sorted() == ["fleet", "headline", "outcome"])
      #expect(object["outcome"] == "genuine" && object["fleet"]?["mode"] == "remote")
    }

    @Test("inspect --desk-sees-report shows the report after a remote read, too")
    func visibleReport() async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1", ["--virtual", "--desk-sees-report"])
      defer { inspector.send(signal: SIGKILL) }
      let run = try await fleet.tessera(
        ["fleet", "read", "--virtual", "--fleet-reading", "remote"] + fleet.desk("lobby"))
      #expect(run.status == 0 && run.output.contains("Surname        SPECIMEN\n"))
    }

    @Test("the exit status is that of `passport read`", arguments: ["witnessed", "remote"])
    func exitStatus(_ mode: String) async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1", ["--virtual", "fault-clone"])
      defer { inspector.send(signal: SIGKILL) }
      let arguments = fleet.desk("lobby") + ["--fleet-reading", mode]
      let clone = try await fleet.tessera(["fleet", "read", "--virtual", "fault-clone", "--json"] + arguments)
      #expect(clone.status == 5)
      #expect(try JSONValue(text: clone.output)["outcome"] == "notGenuine")
      let token = try await fleet.tessera(["fleet", "read", "--virtual", "fault-token"] + arguments)
      #expect(token.status == 6 && token.output.isEmpty && token.errors.contains("authentication token"))
      let key = try await fleet.tessera(
        [
          "fleet", "read", "--virtual", "--document-number", "X1", "--date-of-birth", "900101", "--date-of-expiry",
          "300101",
        ] + arguments)
      #expect(key.status == 4, "\(key.errors)")
      #expect(!key.errors.contains("X1") && !key.errors.contains("900101"))
    }

    @Test("a desk without an inspector, with the key of another desk, and without a server")
    func unreachable() async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1")
      defer { inspector.send(signal: SIGKILL) }
      // The name is another one than that of the key: the server refuses it.
      let foreign = try await fleet.tessera(
        ["fleet", "read", "--virtual", "--desk", "bar", "--json", "--within", "1"] + fleet.desk("lobby"))
      #expect(foreign.status == 3)
      #expect(try JSONValue(text: foreign.output)["error"]?["code"] == "serviceUnavailable")
      let refused = try await fleet.tessera(
        [
          "fleet", "read", "--virtual", "--desk", "lobby", "--within", "1", "--fleet", fleet.address, "--fleet-seed",
          fleet.folder.file("fleet/system.nk"),
        ])
      #expect(refused.status == 3)
      let missing = try await fleet.tessera(
        [
          "fleet", "read", "--virtual", "--desk", "lobby", "--fleet", fleet.address, "--fleet-seed",
          "/proc/nonexistent",
        ])
      #expect(missing.status == 2 && missing.errors.contains("no such file or directory"))
      let port = try ReservedPort()
      let gone = try await fleet.tessera(
        ["fleet", "read", "--virtual", "--desk", "lobby", "--fleet", "nats://127.0.0.1:\(port.number)"])
      #expect(gone.status == 3 && gone.errors.contains("No NATS server answers."))
    }

    // MARK: - Losses

    @Test("a read whose inspector is killed begins again with another one, and has one record")
    func killedInspector() async throws {
      let fleet = try await ProgramFleet(isTracing: true)
      let first = try await fleet.inspector("i1")
      // It takes the read and says nothing more.
      first.send(signal: SIGSTOP)
      let desk = try fleet.start(["fleet", "read", "--virtual", "--json"] + fleet.desk("lobby"))
      #expect(await fleet.server.wait { $0.errors.contains("PUB tessera.read.lobby.begin") })
      let second = try await fleet.inspector("i2")
      first.send(signal: SIGKILL)
      let run = await desk.finish(within: 1200)
      #expect(run.status == 0, "\(run.errors)")
      let object = try JSONValue(text: run.output)
      #expect(object["outcome"] == "genuine")
      guard case .integer(let attempts)? = object["fleet"]?["attempts"] else {
        Issue.record("no attempts")
        return
      }
      #expect(attempts >= 2)
      #expect(try await fleet.status()["record"]?["messages"] == 1)
      second.send(signal: SIGKILL)
    }

    // MARK: - Certificates

    @Test(
      "published certificates are verified by an inspector with a root of its own, and the verdict has their version")
    func certificates() async throws {
      let fleet = try await ProgramFleet()
      let country = try SpecimenDocument(profile: .bac).country
      let (list, root) = (fleet.folder.file("UT.ml"), fleet.folder.file("root.cer"))
      try Data(country.masterList()).write(to: URL(fileURLWithPath: list))
      try Data(try #require(country.countrySigners.first).der).write(to: URL(fileURLWithPath: root))
      let published = try await fleet.tessera(["trust", "import", list, "--root", root] + fleet.administrator)
      #expect(published.status == 0, "\(published.errors)")
      let version = try #require(try await fleet.status()["trustVersion"])
      #expect(
        published.output.hasSuffix("The inspectors of the fleet have version \(version.text) now.\n"),
        "\(published.output)")
      // Nothing is stored at this machine.
      #expect(try await fleet.tessera(["trust", "list", "--json"]).output.contains(#""certificates":[]"#))

      let inspector = try await fleet.inspector("i1", ["--trust", "bucket", "--root", root])
      defer { inspector.send(signal: SIGKILL) }
      let object = try JSONValue(
        text: try await fleet.tessera(["fleet", "read", "--virtual", "--json"] + fleet.desk("lobby")).output)
      #expect(object["checks"]?.items.first { $0["id"] == "passive.chain" }?["status"] == "passed")
      #expect(object["fleet"]?["trustVersion"] == version && version != .null)
      // A desk cannot publish any.
      let refused = try await fleet.tessera(["trust", "import", list, "--root", root] + fleet.desk("lobby"))
      #expect(refused.status != 0)
    }

    // MARK: - The service

    @Test("pages and programs of `serve --fleet` get the inspector's verdict")
    func service() async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1")
      defer { inspector.send(signal: SIGKILL) }
      let socket = fleet.folder.file("desk.sock")
      let service = try fleet.start(["serve", "--virtual", "--socket", socket] + fleet.desk("lobby"))
      #expect(await service.wait { $0.output.hasPrefix("ready \(socket)") || !$0.isRunning }, "\(service.errors)")
      let key = #"{"passportNumber":"TS0264718","dateOfBirth":"900214","dateOfExpiry":"350630"}"#
      let run = try await fleet.tessera(["call", "nfc.scan", key, "--socket", socket, "--json"])
      #expect(run.status == 0 && run.output.contains(#""genuine""#), "\(run.errors)")
      service.send(signal: SIGTERM)
      #expect(await service.finish().status == 0)
      #expect(try await fleet.status()["record"]?["messages"] == 1)
    }

    // MARK: - Administration

    @Test("inspect --metrics serves the figures, and each read is one line of the log without the document")
    func metrics() async throws {
      let fleet = try await ProgramFleet()
      let inspector = try await fleet.inspector("i1", ["--virtual", "--metrics"])
      let read = try JSONValue(
        text: try await fleet.tessera(["fleet", "read", "--virtual", "--json"] + fleet.desk("lobby")).output)
      let figures = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/curl"),
        ["-s", "--unix-socket", fleet.folder.file("run/tessera/inspect-i1.sock"), "http://localhost/metrics"]
      ).finish()
      #expect(figures.output.contains(#"tessera_fleet_reads_total{mode="witnessed",outcome="genuine"} 1"#))
      // Those of the test country.
      #expect(figures.output.contains("# TYPE tessera_country_certificates gauge\ntessera_country_certificates "))
      #expect(!figures.output.contains("tessera_country_certificates 0.0\n"))
      #expect(figures.output.contains("# TYPE tessera_revocation_lists_overdue gauge\n"))
      inspector.send(signal: SIGTERM)
      let run = await inspector.finish()
      #expect(run.status == 0)
      let id = try #require(read["fleet"]?["read"]?.stringValue)
      let lines = run.errors.split(separator: "\n").filter { $0.contains(id) }
      #expect(lines.count == 1, "\(run.errors)")
      #expect(lines.first?.contains("desk=lobby") == true && lines.first?.contains("outcome=genuine") == true)
      #expect(!run.errors.contains("SPECIMEN") && !run.errors.contains("TS0264718"))
      #expect(!FileManager.default.fileExists(atPath: fleet.folder.file("run/tessera/inspect-i1.sock")))
    }

    @Test("doctor finds nothing wrong in a server with the written configuration")
    func doctor() async throws {
      let fleet = try await ProgramFleet()
      let report = try await DoctorReport { try await fleet.tessera(["doctor", "--json", "--fleet", fleet.address]) }
      #expect(report.findings.map(\.status) == ["ok", "ok"])
    }

    @Test("the status on a terminal is drawn until Ctrl-C, and leaves the terminal as it was")
    func screen() async throws {
      let fleet = try await ProgramFleet()
      let words = ([ProgramRun.tessera.path, "fleet", "status"] + fleet.administrator).joined(separator: " ")
      let screen = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/script"), ["-qec", "exec \(words)", "/dev/null"], environment: ["TERM": "xterm"])
      // Drawn twice: each drawing begins at the upper left corner.
      #expect(
        await screen.wait { $0.output.components(separatedBy: "\u{1B}[HInspectors 0").count > 2 || !$0.isRunning })
      screen.send(signal: SIGTERM)
      let run = await screen.finish()
      #expect(run.output.contains("\u{1B}[?1049h") && run.output.contains("\u{1B}[?25l"))
      let once = try await fleet.tessera(["fleet", "status"] + fleet.administrator)
      #expect(once.status == 0 && once.output.hasPrefix("Inspectors 0") && !once.output.contains("\u{1B}"))
    }

    @Test("fleet configure refuses what would be unsafe, and a second run keeps the keys")
    func configure() async throws {
      let folder = try TemporaryFolder()
      let arguments = ["fleet", "configure", "--out", folder.file("fleet"), "--inspectors", "1"]
      let first = try await ProgramRun.tessera(arguments + ["--desks", "2"])
      #expect(first.status == 0)
      for line in [
        "nats-server -c \(folder.file("fleet/nats.conf"))",
        "tessera fleet prepare --fleet nats://127.0.0.1:4222 --fleet-seed \(folder.file("fleet/admin.nk"))",
        "tessera inspect --fleet nats://127.0.0.1:4222 --fleet-seed \(folder.file("fleet/inspector-i1.nk"))",
        "tessera fleet read --fleet nats://127.0.0.1:4222 --fleet-seed \(folder.file("fleet/desk-d1.nk"))",
      ] { #expect(first.output.contains("  \(line)\n") || first.output.hasSuffix("  \(line)\n")) }
      let key = folder.bytes("fleet/desk-d1.nk")
      #expect(!key.isEmpty)
      #expect(!first.output.contains("Reload") && !first.output.contains("Restart"))
      let more = try await ProgramRun.tessera(arguments + ["--desks", "3"])
      #expect(more.status == 0 && more.output.contains("Reload each server") && !more.output.contains("Restart"))
      #expect(folder.bytes("fleet/desk-d1.nk") == key && !folder.bytes("fleet/desk-d3.nk").isEmpty)
      // findings/nats-reload-refused.sh: the server would refuse to reload this, and keep the desks that were removed.
      let restarted = try await ProgramRun.tessera(arguments + ["--desks", "1", "--store-limit", "20"])
      #expect(restarted.output.contains("Restart these servers"))
      #expect(restarted.output.contains("    + max_file: 21474836480\n") && !restarted.output.contains("Reload each"))
      // No secret in the configuration.
      // A seed begins with these letters; a public key can contain them.
      #expect(!String(decoding: folder.bytes("fleet/accounts.conf"), as: UTF8.self).contains("\"SU"))

      for (extra, message) in [
        (["--desks", "2", "--server", "n1=10.0.0.1"], "without TLS"), (["--desks", "Lobby"], "cannot be the name"),
        (["--desks", "-1"], "number"), (["--desks", "2", "--server", "n1"], "NAME=HOST"),
        (["--desks", "2", "--server", "n1=127.0.0.1", "--server", "n2=127.0.0.2"], "odd number"),
      ] {
        let run = try await ProgramRun.tessera(
          ["fleet", "configure", "--out", folder.file("x"), "--inspectors", "1"] + extra)
        #expect(run.status == 2 && run.errors.contains(message), "\(extra): \(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("x/accounts.conf")))
      }
    }
  }
}
