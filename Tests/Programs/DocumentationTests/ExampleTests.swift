import Foundation
import ReRune
import Synchronization
import Tessera
import TesseraService
import TestSupport
import Testing

@testable import DocumentationSnippets
@testable import TesseraHaptics

@Suite("The Swift examples of the documentation")
struct ExampleTests {
  private let source: CardSource

  init() throws { source = .virtual(.bac, try SpecimenDocument().files) }

  @Test("every example is in a file that is compiled, in the same words; in an article, with the imports of this file")
  func compiled() throws {
    let sources = try Documentation.sources()
    var count = 0
    for page in try Documentation.pages() {
      for block in page.blocks(of: "swift") {
        count += 1
        let snippet = Documentation.Snippet(block)
        let same = sources.filter { $0.contains(snippet.body) }
        #expect(
          !same.isEmpty,
          "\(page.name) has an example that is in none of the compiled files:\n\(block.joined(separator: "\n"))")
        guard page.isArticle else { continue }
        #expect(
          same.contains { $0.imports == snippet.imports },
          "\(page.name): the example imports \(snippet.imports), the compiled file \(same.map(\.imports))")
        for product in snippet.imports where product != "Foundation" {
          #expect(page.text.contains("`\(product)`"), "\(page.name) does not name the product \(product).")
        }
      }
    }
    #expect(count >= 27)
  }

  @Test("the package and its products have the names that the pages give to a program")
  func names() throws {
    let manifest = try Documentation.manifest()
    #expect(manifest.contains(#"name: "tessera","#))
    var products: Set<Substring> = []
    for page in try Documentation.pages() where page.isArticle {
      for line in page.lines {
        products.formUnion(line.matches(of: /\.product\(name: "(\w+)", package: "tessera"\)/).map(\.output.1))
        // Without the name, the folder of the clone would be the package's name.
        for match in line.matches(of: /\.package\([^)]*\)/) {
          #expect(match.output.hasPrefix(#".package(name: "tessera", "#), "\(page.name): \(line)")
        }
      }
    }
    #expect(products.contains("TesseraInspection"))
    for product in products { #expect(manifest.contains("\"\(product)\""), "\(product)") }
  }

  @Test("README names each program of Sources/Examples, none of which is long")
  func programs() throws {
    let readme = try #require(try Documentation.pages().first { $0.name == "README.md" })
    let programs = try Documentation.programs()
    #expect(programs.count == 5)
    for program in programs {
      #expect(readme.text.contains("`swift run \(program.name)`"), "\(program.name)")
      #expect(program.lines.count <= 61, "\(program.name)")
    }
  }

  @Test("the page of the protocol has a section for each domain, which names its methods")
  func protocolPage() throws {
    let page = try #require(try Documentation.pages().first { $0.name == "BridgeProtocol.md" })
    for domain in BridgeDomain.published + [.i18n] {
      let section = page.lines.drop { $0 != "## \(domain.rawValue)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
      #expect(!section.isEmpty, "\(domain)")
      for method in domain.methods { #expect(section.contains { $0.contains("`\(method)`") }, "\(domain).\(method)") }
    }
  }

  @Test("the example of a domain answers its requests")
  func domain() async throws {
    let printed = Mutex("")
    let answer = Mutex<JSONValue?>(nil)
    let router = routerWithPrinter { text in printed.withLock { $0 = text } }
    let request = BridgeRequest(
      id: "1", domain: .printer, method: "print", parameters: BridgeParameters(["text": "Thank you"]))
    await router.route(request) { message in answer.withLock { $0 = message.json } }
    #expect(answer.withLock { $0?["success"] } == true && printed.withLock { $0 } == "Thank you")
    #expect(BridgeDomain.printer.wish == "wants to print a receipt.")
    _ = try grantsOfCounter()
  }

  @Test("the passport examples read the specimen")
  func reading() async throws {
    let store = TrustStore(folder: try TemporaryFolder().url.path + "/trust")
    #expect(try await readPassport(on: source, key: printedKey(), trust: store.load()).hasPrefix("Read; "))
    let dump = try await source.withCard { card in try await readWithProgress(card, key: .mrz(try printedKey())) }
    let fields = try fields(of: dump)
    #expect(fields.name == "TESSA MARIA SPECIMEN")
    #expect(fields.portrait?.count == 16904)
    // The machine need not have that reader.
    _ = await cardOnOneReader().isAvailable()
    try await printSpecimen()
  }

  @Test("the examples of verification judge a saved specimen by its country's master list")
  func verifying() async throws {
    let folder = try TemporaryFolder()
    let store = TrustStore(folder: folder.url.path + "/trust")
    let specimen = try SpecimenDocument()
    let root = try #require(specimen.country.countrySigners.first).der
    #expect(try importList(specimen.country.masterList(), named: "UT.ml", root: root, into: store) == 1)
    let dump = try await CardSource.virtual(.bac, specimen.files).withCard { card in
      try await Inspection.read(card, InspectionRequest(key: .mrz(printedKey())))
    }
    try printReport(of: dump, trust: store.load())
    let path = folder.url.path + "/dump.tessera"
    try SavedDump(dump, report: nil).write(to: path)
    #expect(try verifyDump(at: path, store: store) == .genuine)
  }

  @Test("the virtual chip example reads the specimen")
  func virtualChip() async throws { #expect(try await readSpecimen().portrait?.data.count == 16904) }

  @Test("the key example signs, and its signature verifies")
  func signing() async throws {
    let folder = try TemporaryFolder()
    #expect(try await signOnce(Array("release".utf8), in: folder.url.path))
  }

  @Test("the haptics example throws HapticError if there is no device")
  func haptics() async throws {
    await #expect(throws: HapticError.self) {
      try await playTwoPulses(on: RumblePlayer(device: .path("/dev/null")))
    }
    await #expect(throws: HapticError.self) {
      let file = Array(#"[{"atMs": 0, "durationMs": 200, "strong": 1, "weak": 0.5}]"#.utf8)
      try await playFile(file, on: RumblePlayer(device: .path("/dev/null")))
    }
  }

  @Test("the bridge example answers a message")
  func bridge() async throws {
    let answers = Mutex<[String]>([])
    await answer(
      #"{"type":"request","version":1,"id":"1","domain":"haptic","method":"isAvailable","params":{},"timestamp":1}"#
    ) { script in answers.withLock { $0.append(script) } }
    #expect(answers.withLock { $0.count } == 1)
  }

  @Test("the service example serves until SIGTERM")
  func service() async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path + "/bridge.sock"
    let serving = Task {
      try await serve(socketPath: path, router: MessageRouter.withSystemProviders(cards: source))
    }
    defer { serving.cancel() }
    let request = BridgeRequest(
      id: "1", domain: .nfc, method: "isSupported", parameters: BridgeParameters([:]), caller: .local)
    // The socket is there a moment before the service listens.
    var outcome = BridgeClient.Outcome.noService
    _ = try await isTrue(within: .seconds(60)) {
      outcome = try await BridgeClient(socketPath: path).call(request) { _, _ in }
      if case .noService = outcome { return false }
      return true
    }
    guard case .answer(.success) = outcome else {
      Issue.record("The service did not respond: \(outcome)")
      return
    }
  }
}
