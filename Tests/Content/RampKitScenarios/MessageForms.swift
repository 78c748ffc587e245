import Foundation
import RampKitFlow
import TesseraBridge

/// Sends each message of a sample as an object and as JSON text, and each older text. Argument: the sample.
@MainActor
enum MessageForms {
  static func run(_ arguments: [String]) async throws {
    let text = try String(contentsOfFile: arguments.first ?? "", encoding: .utf8)
    let sample = try JSONValue(text: text)
    func elements(_ name: String) -> [JSONValue] {
      if case .array(let elements)? = sample[name] { elements } else { [] }
    }
    let page = try await ShownPage(html: "<p>x</p>")
    let objects = elements("object")
    for object in objects {
      for form in [object.text, JSONValue.string(object.text).text] {
        _ = try await page.view.evaluate("webkit.messageHandlers.rampkit.postMessage(\(form))")
      }
    }
    let texts = ["jsonText", "legacyText", "ignored"].flatMap(elements)
    for text in texts { _ = try await page.view.evaluate("webkit.messageHandlers.rampkit.postMessage(\(text.text))") }
    await page.view.settle()
    let received = page.texts
    observe("count", .integer(Int64(received.count - 2 * objects.count - texts.count)))
    observe(
      "objects",
      .array(
        objects.indices.map { index in
          let expected = PageMessage(text: objects[index].text)
          return .bool(
            expected != nil && PageMessage(text: received[2 * index]) == expected
              && PageMessage(text: received[2 * index + 1]) == expected)
        }))
    observe("texts", .bool(Array(received.suffix(texts.count)) == texts.compactMap(\.stringValue)))
    page.close()
  }
}
