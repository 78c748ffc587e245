import FoundationEssentials
import TesseraBridge
import TesseraPassport
import TesseraVirtualChip
import TesseraWindow

/// The verification page in one appearance, as pictures and facts. Arguments: the folder for the pictures, the name of
/// the document (a profile, or "arabic"), width and height of the window, and a file with a script whose value is the
/// contrast of all texts. The environment chooses language and theme.
@MainActor
enum Pictures {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 5, let width = Int32(arguments[2]), let height = Int32(arguments[3]),
      let contrast = String(bytes: try Data(contentsOf: URL(fileURLWithPath: arguments[4])), encoding: .utf8)
    else { throw ContentFailure.loadFailed(reason: "usage: pictures FOLDER DOCUMENT WIDTH HEIGHT SCRIPT") }
    let profile = ChipProfile(named: arguments[1]) ?? .bac
    let document = try arguments[1] == "arabic" ? arabic() : SpecimenDocument(profile: profile)
    let run = try await VerificationRun(
      .virtual(profile, document.files), trust: document.country, size: (width, height))
    let facts = """
      (() => { const shown = (id) => document.getElementById(id); return {
        language: document.documentElement.lang, dark: matchMedia("(prefers-color-scheme: dark)").matches,
        title: document.title, width: innerWidth, overflow: document.documentElement.scrollWidth - innerWidth,
        verdict: shown("verdict").textContent, portrait: shown("portrait").naturalWidth,
        data: [...document.querySelectorAll("dd")].map((one) => one.textContent),
        directions: [...document.querySelectorAll("dd bdi")].map((one) => getComputedStyle(one).direction),
        checks: [...document.querySelectorAll("#checks li")].map((one) => one.className),
      }; })()
      """
    for part in ["enter", "result"] {
      if part == "result" {
        try await run.read()
        try await run.waitForResult()
      }
      // The picture and the portrait are drawn.
      try await letPass(.milliseconds(400))
      try await run.window.view.saveSnapshot(to: "\(arguments[0])/\(part).png")
      observe("\(part) facts", try await run.value(facts))
      observe("\(part) contrast", try await run.value(contrast))
    }
    _ = try await run.value("document.getElementById('done').click()")
    await run.close()
    guard case .succeeded(let result) = await run.session.outcome else { return observe("claims", .null) }
    observe("claims", result.claims.map(JSONValue.object) ?? .null)
  }

  /// A document whose DG11 has the name of the holder in Arabic.
  private static func arabic() throws -> SpecimenDocument {
    let specimen = try SpecimenDocument()
    var details = DataGroup11()
    details.fullName = "محمد<عبد<الله<<الخطيب"
    details.placeOfBirth = "القاهرة"
    var groups: [Int: [UInt8]] = [11: details.encoded]
    for number in [1, 2] { groups[number] = ElementaryFile.dataGroup(number).flatMap { specimen.files[$0] } }
    return try SpecimenDocument(adding: groups, profile: .bac)
  }
}
