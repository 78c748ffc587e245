import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("Texts that change")
  struct ChangingTextTests {
    @Test("a label shows each new text, and releases what its closure holds at its end")
    func label() async throws {
      let folder = try TemporaryFolder()
      let seen = try await WindowLab().run(["texts", folder.file("cache")], program: "ReRuneScenarios")
      #expect(seen["shown"] == ["title", "eins", "zwei"])
      #expect(seen["held by the widget"] == true)
      #expect(seen["binds after its end"] == 0)
      #expect(seen["held after its end"] == false)
    }
  }
}
