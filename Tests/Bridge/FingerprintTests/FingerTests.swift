import Foundation
import TesseraCore
import Testing

@testable import TesseraBridge
@testable import TesseraFingerprint
@testable import TesseraLinuxProviders

/// What the user is told about the finger, and whose turn it is.
@Suite("Named fingers")
struct FingerTests {
  @Test(
    "each finger of fprintd has a name in plain words",
    arguments: [
      ("left-thumb", "left thumb"), ("left-index-finger", "left index finger"),
      ("left-middle-finger", "left middle finger"), ("left-ring-finger", "left ring finger"),
      ("left-little-finger", "left little finger"), ("right-thumb", "right thumb"),
      ("right-index-finger", "right index finger"), ("right-middle-finger", "right middle finger"),
      ("right-ring-finger", "right ring finger"), ("right-little-finger", "right little finger"),
    ])
  func words(_ name: String, _ words: String) throws {
    let finger = try #require(Finger(rawValue: name))
    #expect(finger.words == words && Finger.allCases.count == 10)
    let progress = BiometricProgress(FingerprintEvent.waiting(finger))
    #expect(progress.message == "Touch the reader with your \(words).")
  }

  struct Row: Sendable {
    let enrolled: [String]
    let selected: String?
    let tries: [Finger?]
  }

  @Test(
    "the tries go through the enrolled fingers, beginning with the selected one",
    arguments: [
      // The reader can identify, or the service says nothing that is known: all fingers at once.
      Row(enrolled: ["right-index-finger", "left-thumb"], selected: "any", tries: [nil, nil, nil]),
      Row(enrolled: ["right-index-finger"], selected: nil, tries: [nil, nil, nil]),
      Row(enrolled: ["right-index-finger"], selected: "<b>", tries: [nil, nil, nil]),
      Row(
        enrolled: ["right-index-finger"], selected: "right-index-finger",
        tries: [.rightIndex, .rightIndex, .rightIndex]),
      Row(
        enrolled: ["right-index-finger", "left-index-finger"], selected: "right-index-finger",
        tries: [.rightIndex, .leftIndex, .rightIndex]),
      // The selected one is not the first, is listed twice, or is not listed.
      Row(
        enrolled: ["left-thumb", "right-thumb", "left-ring-finger"], selected: "right-thumb",
        tries: [.rightThumb, .leftRing, .leftThumb]),
      Row(
        enrolled: ["left-thumb", "left-thumb", "odd", "left-thumb"], selected: "left-thumb",
        tries: [.leftThumb, .leftThumb, .leftThumb]),
      Row(enrolled: ["left-ring-finger"], selected: "left-thumb", tries: [.leftThumb, .leftRing, .leftThumb]),
      Row(enrolled: [], selected: "left-thumb", tries: [.leftThumb, .leftThumb, .leftThumb]),
      // More fingers than tries.
      Row(
        enrolled: ["left-thumb", "left-index-finger", "right-thumb", "right-index-finger"], selected: "left-thumb",
        tries: [.leftThumb, .leftIndex, .rightThumb, .rightIndex]),
      Row(enrolled: Finger.allCases.map(\.rawValue), selected: "left-thumb", tries: Finger.allCases),
    ])
  func turns(_ row: Row) {
    #expect(FingerTurns(enrolled: row.enrolled, selected: row.selected, count: 3).tries == row.tries)
  }

  @Test("each text with a finger names it, and web content learns the text without it")
  func messages() {
    let named = BiometricProgress.State.allCases.map { BiometricProgress($0, finger: "left thumb").message }
    #expect(
      named == [
        "Touch the reader with your left thumb.",
        "The finger was not read well. Touch the reader again with your left thumb.",
        "The swipe was too short. Swipe again with your left thumb.",
        "The finger was not on the middle of the reader. Touch the reader again with your left thumb.",
        "Lift the finger and touch the reader again with your left thumb.",
        "The finger was not recognised. Try again with your left thumb.",
        "Enter your password in the dialog of the system.",
      ])
    for state in BiometricProgress.State.allCases {
      let progress = BiometricProgress(state, finger: "left thumb")
      #expect(progress.payload(for: .local)["message"] == .string(progress.message))
      let page = progress.payload(for: .web(origin: "https://a.example"))
      #expect(page == BiometricProgress(state).payload(for: .local), "\(page)")
      #expect(page["state"] == .string(state.rawValue))
    }
    #expect(BiometricProgress(.waiting).message == "Touch the fingerprint reader.")
    #expect(BiometricProgress(.noMatch).message == "The finger was not recognised. Try again.")
    for retry in FingerprintEvent.Retry.allCases {
      #expect(BiometricProgress(FingerprintEvent.retry(retry, .leftThumb)).finger == "left thumb")
    }
    #expect(BiometricProgress(.noMatch(remainingTries: 1, next: .leftThumb)).finger == "left thumb")
  }
}
