import TestSupport
import Testing

extension RealPrograms {
  /// Different notations of one owner.
  @Suite("Web origins on the command line")
  struct OriginTests {
    private static let forms = [
      "https://Shop.Example", "HTTPS://shop.example:443", "https://shop.example/", "https://SHOP.example:443/",
    ]
    private static let refused = [
      "null", "nonsense", "", "https://shop.example/x", "HTTP://Example.com:80/x", "https://shop.example\n",
      "https://shop.example\nhttps://a.example", "https://shop.example:99999", "ftp://shop.example",
      "https://shop.example.", "https://[::ffff:192.0.2.1]",
      "https://ann@shop.example", "https://shöp.example", " https://shop.example",
    ]

    @Test("every notation of an origin owns the same keys and secrets")
    func spellings() async throws {
      let shell = try KeyShell()
      for (number, form) in Self.forms.enumerated() {
        let run = try await shell.run(
          """
          $T key generate k\(number) --unprotected --origin '\(form)' > /dev/null 2>&1 || echo generate
          $T call --origin '\(form)' secureStorage.set '{"key":"s","value":"\(number)"}'
          $T call --origin https://shop.example secureStorage.get '{"key":"s"}'
          $T call --origin '\(form)' crypto.getPublicKey '{"keyRef":"k\(number)"}' > /dev/null && echo found
          """)
        #expect(run.output == "null\n{\"value\":\"\(number)\"}\nfound\n", "\(form): \(run.errors)")
      }
      let listed = try await shell.run(
        "$T key list | grep -c 'https://shop.example '; $T storage list 2> /dev/null | wc -l")
      #expect(listed.output == "4\n1\n", "\(listed.errors)")
      let confirmed = try await shell.run(
        "$T key confirm k0 always --origin HTTPS://SHOP.EXAMPLE/; $T key list | grep 'k0 ' | grep -c always")
      #expect(confirmed.output == "1\n", "\(confirmed.output)\(confirmed.errors)")
      let cleared = try await shell.run(
        "$T storage clear HTTPS://SHOP.EXAMPLE:443/ --yes; echo $?; $T storage list 2> /dev/null")
      #expect(cleared.output == "0\n", "\(cleared.errors)")
    }

    @Test("rejects origins that no browser sends", arguments: refused)
    func refusal(_ text: String) async throws {
      let home = try TemporaryFolder()
      for arguments in [
        ["call", "--origin", text, "secureStorage.set", #"{"key":"s","value":"v"}"#],
        ["key", "generate", "k", "--unprotected", "--origin", text],
        ["key", "confirm", "k", "always", "--origin", text], ["storage", "clear", text, "--yes"],
      ] {
        let run = try await ProgramRun.tessera(
          arguments,
          environment: ["XDG_DATA_HOME": home.file("data"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
        #expect(run.status == 2, "\(arguments): \(run.errors)")
        #expect(run.errors.contains("web origin"), "\(run.errors)")
      }
      let list = try await ProgramRun.tessera(["storage", "list"], environment: ["XDG_DATA_HOME": home.file("data")])
      #expect(list.output == "")
    }
  }
}
