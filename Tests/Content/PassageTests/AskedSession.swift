import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

/// A session up to its question.
@MainActor
struct AskedSession {
  let lab: PassageLab
  let controller: Controller
  let passage: Passage
  let callbacks = Callbacks()
  /// The window, when the question can be answered.
  let window: String

  /// - Parameter before: done in the UI page, before the session knows what to ask.
  init(before: (@MainActor (PassageLab, Passage) async throws -> Void)? = nil) async throws {
    lab = try await PassageLab()
    controller = try await Controller()
    try controller.configure("/home.html")
    if before != nil { try controller.tell(["do": "hold"]) }
    passage = lab.passage(controller)
    passage.open(callbacks.options(PassageLab.token()))
    try await controller.wait("the configuration") { $0.contains { $0["event"] == "configuration" } }
    if let before {
      try await before(lab, passage)
      try controller.tell(["do": "release"])
    }
    window = try await lab.question()
  }
}
