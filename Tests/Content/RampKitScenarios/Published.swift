import Foundation
import RampKit
import TesseraBridge

/// Goes through all pages of a flow in a file, and prints what they asked for. Argument: the file.
@MainActor
enum Published {
  static func run(_ arguments: [String]) async throws {
    var problems: [FlowProblem] = []
    let document = try Data(contentsOf: URL(fileURLWithPath: arguments.first ?? ""))
    let flow = ShownFlow(try OnboardingData(Array(document), problems: &problems))
    flow.notifications = ["granted": true, "status": "granted", "canAskAgain": false]
    try await flow.show()
    for page in flow.overlay.views.indices {
      observe(
        "page \(page)",
        ["reviews": .integer(Int64(flow.reviews)), "events": .array(flow.events.map { .string($0.name) })])
      guard page + 1 < flow.overlay.views.count else { break }
      try await flow.send("'next'", from: page)
      try await flow.rest()
      try await letPass(.milliseconds(500))
    }
    flow.overlay.hideOverlay()
  }
}
