import TesseraBridge
import TestSupport
import Testing

extension RealPrograms {
  @Suite("tessera storage")
  struct StorageCommandTests {
    private static let page = "https://wallet.example"

    @Test("lists owners, sizes and the location of the key, like the doctor, and clears one owner")
    func life() async throws {
      let home = try TemporaryFolder()
      let environment = ["XDG_DATA_HOME": home.url.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]
      func run(_ arguments: [String]) async throws -> ProgramRun {
        try await .tessera(arguments, environment: environment)
      }
      func storageFinding() async throws -> DoctorReport.Finding {
        try #require(try await DoctorReport { try await run(["doctor", "--json"]) }.about("storage").first)
      }

      let empty = try await run(["storage", "list"])
      #expect(empty.status == 0 && empty.output == "" && empty.errors.contains("The store is empty."))
      #expect(try await run(["storage", "list", "--json"]).output == #"{"protection":null,"owners":[]}"# + "\n")
      #expect(try await storageFinding().id == "storage.none")

      let secret = #"{"key":"a name","value":"a secret"}"#
      for extra in [["--in-process"], ["--origin", Self.page]] {
        #expect(try await run(["call", "secureStorage.set", secret] + extra).status == 0)
      }
      #expect(try await run(["call", "documents.set", #"{"key":"d","value":"1"}"#, "--in-process"]).status == 0)
      let list = try await run(["storage", "list", "--json"])
      let json = try JSONValue(text: list.output.dropLast())
      #expect(json["protection"] == "key-file")
      guard case .array(let owners)? = json["owners"] else {
        Issue.record("\(list.output)")
        return
      }
      #expect(owners.map { $0["owner"] } == ["local", .string(Self.page)])
      #expect(owners.map { $0["secrets"] } == [1, 1])
      #expect(owners.map { $0["documents"] } == [1, 0])
      let text = try await run(["storage", "list"])
      #expect(text.errors.contains("The encryption key is in a file"))
      for run in [list, text] { #expect(!(run.output + run.errors).contains("a name")) }
      let finding = try await storageFinding()
      #expect(finding.id == "storage" && finding.status == "ok")
      #expect(finding.cause.contains("its encryption key is in the same folder"))

      let unasked = try await run(["storage", "clear", Self.page])
      #expect(unasked.status == 2 && unasked.errors.contains("--yes"))
      #expect(try await run(["storage", "clear", "no origin", "--yes"]).status == 2)
      #expect(try await run(["storage", "clear", Self.page + "/", "--yes"]).status == 0)
      let rest = try await run(["storage", "list"])
      #expect(rest.output.hasPrefix("local  1 secrets, 1 documents, "))
      #expect(!rest.output.contains("wallet"))
    }

    @Test("the help states what the encryption does not detect")
    func limits() async throws {
      let words = try await ProgramRun.tessera(["storage", "--help"]).output.split(whereSeparator: \.isWhitespace)
      #expect(words.joined(separator: " ").contains("replaced by an older version of itself is not"))
    }
  }
}
