import Tessera
import TesseraCommandLine
import Testing

@Suite("tessera flow run: options for pages only") struct FlowOptionsTests {
  @Test(
    "an option that native screens cannot honour is refused with its name",
    arguments: [
      (["--virtual"], "hardware", "--virtual"), (["--reader", "x"], "hardware", "--reader"),
      (["--nfc", "pn532_uart:/dev/null"], "hardware", "--nfc"), (["--wait", "5"], "hardware", "--wait"),
      (["--grant", "nfc"], "hardware", "--grant"), (["--locale", "de"], "one language", "--locale"),
      (["--relaxed"], "Only the pages", "--relaxed"),
    ])
  func refused(arguments: [String], cause: String, option: String) throws {
    let options = try FlowOptions.parse(["screens.json"] + arguments)
    let failure = try #require(throws: Failure.self) { try options.refuseWhatPagesNeed() }
    #expect(failure.kind == .usage && failure.cause.contains(cause))
    #expect(failure.remedy?.contains("Leave out \(option)") == true)
  }

  @Test("the other options are for both kinds", arguments: [[], ["--html"], ["--json"], ["--full-screen"]])
  func allowed(arguments: [String]) throws {
    try FlowOptions.parse(["screens.json"] + arguments).refuseWhatPagesNeed()
  }
}
