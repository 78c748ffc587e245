import BridgeVectors
import Foundation
import TesseraBridge
import TestSupport
import Testing

extension RealPrograms {
  /// Log entries for the operator, which pages do not see.
  @Suite("Log entries about refusals")
  struct RefusalTests {
    /// The line for the grants file that the log suggests.
    private static func line(_ service: ServingProgram, after words: String) async throws -> String {
      _ = await service.program.wait { $0.errors.contains(words) }
      let log = try #require(service.program.errors.split(separator: "\n").first { $0.contains(words) })
      let grant = try #require(log.components(separatedBy: ": ").last?.components(separatedBy: " code=").first)
      return try #require(grant.components(separatedBy: " origin=").first?.components(separatedBy: " caller=").first)
    }

    @Test("the log names the origin, the method and a line for the grants file that allows it")
    func lines() async throws {
      let origin = "http://localhost:5173"
      let home = try TemporaryFolder()
      let folder = home.file("config/tessera")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      var grants = ""
      for target in ["", "crypto.getPublicKey"] {
        let service = try await ServingProgram(["--virtual", "--websocket", "127.0.0.1:0"], home: home)
        if target.isEmpty {
          await #expect(throws: WebSocketClient.Refused.self) {
            try await WebSocketClient.connect(port: service.port, origin: origin)
          }
          grants += try await Self.line(service, after: "without a grant") + "\n"
          #expect(service.program.errors.contains("origin=\(origin)"))
        } else {
          let page = try await WebSocketClient.connect(port: service.port, origin: origin)
          #expect(try await page.ask(target, ["keyRef": "k"]).errorCode == "NOT_ALLOWED")
          #expect(try await page.ask("crypto.aSecretWord").errorCode == "METHOD_NOT_FOUND")
          let misspelled = try await page.ask("crypto.generatekey")
          #expect(misspelled.errorCode == "METHOD_NOT_FOUND")
          #expect(misspelled["error"]?["message"]?.stringValue?.hasSuffix("Did you mean `generateKey`?") == true)
          grants += try await Self.line(service, after: "request was refused. This line") + "\n"
          #expect(service.program.errors.contains("caller=\(origin) code=NOT_ALLOWED"))
          #expect(service.program.errors.contains("method=\(target)"))
          _ = await service.program.wait { $0.errors.contains("resembles=crypto.generateKey") }
          #expect(!service.program.errors.contains("aSecretWord") && !service.program.errors.contains("generatekey"))
        }
        _ = await service.stop()
        try grants.write(toFile: folder + "/grants", atomically: false, encoding: .utf8)
      }
      #expect(
        grants == """
          \(origin) = nfc.scan
          \(origin) = crypto.getPublicKey

          """)
      let service = try await ServingProgram(["--virtual", "--websocket", "127.0.0.1:0"], home: home)
      let page = try await WebSocketClient.connect(port: service.port, origin: origin)
      #expect(try await page.ask("crypto.getPublicKey", ["keyRef": "k"]).errorCode == "KEY_NOT_FOUND")
      _ = await service.stop()
    }

    @Test("logs different reasons for pages that cannot have a grant, and limits the number of entries")
    func others() async throws {
      let service = try await ServingProgram(["--virtual", "--websocket", "127.0.0.1:0"])
      // Programs with web views (tauri-apps/tauri, capacitor), and a client of the kind of Python's websockets.
      for origins in [["tauri://localhost"], ["file://"], []] {
        let connection = try RawConnection.loopback(service.port)
        connection.send(WebSocketClient.request(port: service.port, origins: origins))
        #expect(await connection.textUntilClosed()?.hasPrefix("HTTP/1.1 403 ") == true)
      }
      for origin in ["http://wallet.example", "null"] + (0..<1_100).map({ "https://page\($0).example" }) {
        await #expect(throws: WebSocketClient.Refused.self) {
          try await WebSocketClient.connect(port: service.port, origin: origin)
        }
      }
      let errors = await service.stop().errors
      #expect(errors.contains("whose origin begins with tauri:") && errors.contains("whose origin begins with file:"))
      #expect(errors.contains("A program was refused that sends no Origin. Programs use the Unix socket"))
      #expect(errors.contains("was loaded over http from another machine was refused. Serve it over https"))
      #expect(!errors.contains("http://wallet.example ="))
      #expect(errors.contains("A page without an origin was refused."))
      #expect(errors.components(separatedBy: "without a grant was refused").count - 1 < 1_000)
    }

    @Test("prints a working script element and a working grant for the Self client; standard output has one line")
    func pasted() async throws {
      let service = try await ServingProgram(["--virtual", "--websocket", "127.0.0.1:0"])
      #expect(service.program.output == "ready \(service.socketPath) ws://127.0.0.1:\(service.port)/bridge\n")
      _ = await service.program.wait { $0.errors.contains("No other page has a grant yet.") }
      let errors = await service.stop().errors
      #expect(errors.contains("  <script src=\"http://127.0.0.1:\(service.port)/bridge.js\" crossorigin></script>\n"))
      let argument = try #require(
        errors.split(separator: "\n").first { $0.hasPrefix("  tessera grants add http://127.0.0.1:5173=") }?
          .split(separator: " ").last)
      let granting = try await ServingProgram([
        "--virtual", "--websocket", "127.0.0.1:0", "--grant", String(argument),
      ])
      let page = try await WebSocketClient.connect(port: granting.port, origin: "http://127.0.0.1:5173")
      let scan = try await page.ask(
        "nfc.scan", ["passportNumber": "TS0264718", "dateOfBirth": "900214", "dateOfExpiry": "350630"])
      #expect(scan["success"] == true)
      _ = await granting.stop()
    }

    @Test("reports that pcscd is not running to the log and to programs, but not to pages")
    func withoutDaemon() async throws {
      let service = try await ServingProgram(
        ["--websocket", "127.0.0.1:0", "--reader", "Tessera", "--grant", "\(ServiceUnderTest.origin)=nfc.scan"],
        more: ["PCSCLITE_CSOCK_NAME": "/proc/nonexistent/pcscd.comm"])
      let page = try await WebSocketClient.connect(port: service.port, origin: ServiceUnderTest.origin)
      let answer = try await page.ask("nfc.scan", ConnectionTests.document)
      #expect(answer["success"] == false)
      let message = answer["error"]?["message"]?.stringValue
      #expect(message == "The document reader is not available.")
      #expect(!answer.text.lowercased().contains("pc"), "\(answer.text)")
      let program = try RawConnection.unix(service.socketPath)
      let local = try await program.ask("nfc.scan", ConnectionTests.document)
      #expect(local["error"]?["message"]?.stringValue?.contains("pcscd") == true)
      let errors = await service.stop().errors
      #expect(errors.contains("(pcscd) is not running"), "\(errors)")
      #expect(errors.contains("caller=\(ServiceUnderTest.origin)") && errors.contains("method=nfc.scan"))
    }
  }
}

extension RealPrograms {
  /// `tessera serve --store`.
  @Suite("Keys of pages in a TPM or a token")
  struct ServedStoreTests {
    /// A page generates a key and signs. The command line finds the key in the configured store.
    private static func check(_ arguments: [String], store: String, _ environment: [String: String]) async throws {
      let grant = "\(ServiceUnderTest.origin)=crypto"
      let service = try await ServingProgram(
        ["--virtual", "--websocket", "127.0.0.1:0", "--grant", grant] + arguments, more: environment)
      let page = try await WebSocketClient.connect(port: service.port, origin: ServiceUnderTest.origin)
      #expect(try await page.ask("crypto.generateKey", ["keyRef": "k"])["success"] == true)
      let signature = try await page.ask("crypto.sign", ["keyRef": "k", "data": "AAEC"])
      let point = try await page.ask("crypto.getPublicKey", ["keyRef": "k"])
      #expect(signature["data"]?["signature"]?.stringValue?.hasPrefix("ME") == true, "\(signature.text)")
      #expect(try await page.ask("crypto.sign", ["keyRef": "none", "data": "AAEC"])["success"] == false)
      let shell = try KeyShell(service.environment.merging(["S": store, "O": ServiceUnderTest.origin]) { $1 })
      let shown = try await shell.run("$T key public k --store \"$S\" --origin \"$O\" --format point | base64 -w 0")
      #expect(shown.output == point["data"]?["publicKey"]?.stringValue, "\(shown.errors)")
      let here = try await shell.run("$T key public k --origin \"$O\" --format point")
      #expect(here.status == 7, "the file store does not contain the key")
      _ = await service.stop()
    }

    @Test("in a TPM", .enabled(if: TPMLab.isEnabled))
    func tpm() async throws {
      let lab = try await TPMLab()
      try await Self.check(["--store", "tpm2"], store: "tpm2", lab.environment)
    }

    @Test("in a token with a PIN file", .enabled(if: TokenLab.isEnabled))
    func token() async throws {
      let lab = try await TokenLab()
      try await Self.check(["--store", lab.uriWithPIN], store: lab.uriWithPIN, [:])
    }

    @Test("in a token whose PIN is read from a file descriptor", .enabled(if: TokenLab.isEnabled))
    func tokenPIN() async throws {
      let lab = try await TokenLab()
      let shell = try KeyShell(["URI": lab.uri, "PIN": TokenLab.pin])
      let run = try await shell.run(
        #"""
        $T serve --virtual --socket "$D/s" --store "$URI" --passphrase-fd 3 3<<< "$PIN" > ready 2> log & serving=$!
        until grep -q ready ready; do sleep 0.1; done
        $T call --socket "$D/s" crypto.generateKey '{"keyRef":"k"}'
        $T call --socket "$D/s" crypto.sign '{"keyRef":"k","data":"AAEC"}'
        kill $serving; wait $serving; echo "status $?"; cat log
        """#)
      #expect(
        run.output.contains(#""success":true"#) && run.output.contains(#""signature":"ME"#),
        "\(run.output)\(run.errors)")
      #expect(run.output.contains("status 0") && !run.output.contains(TokenLab.pin))
    }

    @Test(
      "refuses an invalid store at the start",
      arguments: [["--store", "nosuch"], ["--store", "pkcs11:tok%zz"], ["--passphrase-fd", "77"]])
    func wrongUse(_ arguments: [String]) async throws {
      let run = try await ProgramRun.tessera(
        ["serve", "--virtual"] + arguments, environment: ServingProgram.environment(try TemporaryFolder()), timeout: 60)
      #expect(run.status == 2 && run.output == "", "\(run.errors)")
    }
  }
}
