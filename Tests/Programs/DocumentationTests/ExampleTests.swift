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

  @Test("a grant to sign, in a page or a help text, also lets a page make the key and read it")
  func grantsToSign() throws {
    var count = 0
    for line in try Documentation.allLines() where line.contains("crypto") && line.contains("http") {
      for match in line.matches(of: /https?:\/\/[^\s=]+ ?= ?([a-z][A-Za-z.]*(?:, ?[a-z][A-Za-z.]*)*)/) {
        let words = Set(match.output.1.split { ", ".contains($0) })
        guard words.contains(where: { $0.hasPrefix("crypto") }) else { continue }
        count += 1
        let together: Set<Substring> = ["crypto.generateKey", "crypto.getPublicKey", "crypto.sign"]
        #expect(words.contains("crypto") || words.isSuperset(of: together), "\(line)")
      }
    }
    #expect(count >= 10)
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
    let router = routerWithPrinter { text in
      printed.withLock { $0 = text }
      return 1
    }
    let request = BridgeRequest(
      id: "1", domain: .printer, method: "print", parameters: BridgeParameters(["text": "Thank you"]))
    await router.route(request) { message in answer.withLock { $0 = message.json } }
    #expect(answer.withLock { $0?["success"] } == true && printed.withLock { $0 } == "Thank you")
    #expect(answer.withLock { $0?["data"] } == ["pages": 1])
    #expect(BridgeDomain.printer.wish == "wants to print a receipt.")
    _ = try grantsOfCounter()
  }

  @Test("the example of a domain in a window answers its requests, and its page uses the client by the same names")
  func domainOfWindow() async throws {
    let handler = ScalesHandler(weigh: { 250 })
    let events = Mutex<[String]>([])
    let request = BridgeRequest(id: "1", domain: .scales, method: "weigh", parameters: BridgeParameters([:]))
    let data = try await handler.handle(request) { name, _ in events.withLock { $0.append(name) } }
    #expect(data == ["grams": 250] && events.withLock { $0 } == ["waiting"])
    for call in [#"request("scales", "weigh""#, #"listen("scales", "waiting""#] { #expect(weighing.contains(call)) }
  }

  @Test("the passport examples read the specimen")
  func reading() async throws {
    let store = TrustStore(folder: try TemporaryFolder().url.path + "/trust")
    #expect(try await readPassport(on: source, key: printedKey(), trust: store.load()).hasPrefix("Read; "))
    let document = try await readWithProgress(source, key: .mrz(try printedKey()), trust: SpecimenDocument().trust)
    #expect(document.report.outcome == .genuine)
    let fields = try fields(of: document.dump)
    #expect(fields.name == "TESSA MARIA SPECIMEN")
    #expect(fields.portrait?.count == 16904)
    let holder = holder(of: document)
    #expect(holder.name == "TESSA MARIA SPECIMEN" && holder.birth.map { "\($0)" } == "1990-02-14")
    // The machine need not have that reader, or any.
    _ = await cardOnOneReader().isAvailable()
    _ = try? await allReaders()
    try await printSpecimen()
  }

  @Test("the example of keys accepts lines, their parts and a card access number")
  func keysOfDocuments() async throws {
    let lines = """
      P<UTOSPECIMEN<<TESSA<MARIA<<<<<<<<<<<<<<<<<<
      TS02647183UTO9002144F3506307<<<<<<<<<<<<<<<0
      """
    let keys = try accessKeys(
      lines: lines, number: "TS0264718", birth: "14.02.1990", expiry: "2035-06-30",
      digits: ChipProfile.specimenCardAccessNumber)
    #expect(keys.count == 3)
    let profile = try #require(ChipProfile(named: "germany-2023"))
    let specimen = try SpecimenDocument(profile: profile)
    for key in keys {
      let pace = CardSource.virtual(profile, specimen.files)
      #expect(try await readWithProgress(pace, key: key, trust: specimen.trust).report.outcome == .genuine)
    }
  }

  @Test("the example of errors explains a wrong key, a missing document and a verdict")
  func errors() async throws {
    let trust = try SpecimenDocument().trust
    let wrong = try MRZInformation(documentNumber: "TS0264719", dateOfBirth: "900214", dateOfExpiry: "350630")
    #expect(try await readOrExplain(source, key: printedKey(), trust: trust).hasPrefix("Genuine"))
    #expect(await readOrExplain(source, key: wrong, trust: trust).hasPrefix("BAC was refused with 6300."))
    let profile = try #require(ChipProfile(named: "germany-2023"))
    let pace = CardSource.virtual(profile, try SpecimenDocument(profile: profile).files)
    #expect(await readOrExplain(pace, key: wrong, trust: trust).hasPrefix("PACE was refused."))
    let empty = CardSource { _ in throw CardError.noCard(seconds: 1) }
    #expect(try await readOrExplain(empty, key: printedKey(), trust: trust) == "Place the document on the reader.")
    let none = CardSource { _ in throw CardError.noReader }
    #expect(try await readOrExplain(none, key: printedKey(), trust: trust).hasPrefix(Failure(CardError.noReader).cause))
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
    let list = folder.url.path + "/UT.ml"
    try Data(specimen.country.masterList()).write(to: URL(fileURLWithPath: list))
    let report = try verifyDump(at: path, trusting: [list])
    #expect(explanation(of: report) == [report.headline, report.meaning] && report.outcome == .genuine)
    let unknown = explanation(of: try Report(dump))
    #expect(unknown.count == 3 && unknown.last == "Reason: noCountryCertificates")
  }

  @Test("the virtual chip examples read the specimen, and judge its dump later")
  func virtualChip() async throws {
    let dump = try await readSpecimen()
    #expect(dump.portrait?.data.count == 16904)
    let path = try TemporaryFolder().url.path + "/dump.tessera"
    try SavedDump(dump, report: nil).write(to: path)
    #expect(try verifySpecimen(at: path) == .genuine)
  }

  @Test("the example of seals verifies those of a picture, and makes their page")
  func seals() throws {
    let kind = try #require(SpecimenSealKind(named: "visa-a"))
    let picture = try BarcodeWriter(.dataMatrix).write(SealIssuer().seal(kind).bytes, moduleSize: 6).png()
    let page = try verifySeals(inPicture: picture, trust: testTrust())
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("Genuine"))
    _ = try? importedTrust()
  }

  @Test("the key example signs, and its signature verifies")
  func signing() async throws {
    let folder = try TemporaryFolder()
    #expect(try await signOnce(Array("release".utf8), in: folder.url.path))
  }

  @Test("the examples of keys ask for the passphrase, import a key and verify a signature")
  func keys() async throws {
    let folder = try TemporaryFolder()
    let asked = Mutex<[String]>([])
    let dialog = Dialog { label in
      asked.withLock { $0.append(label) }
      return Array("secret".utf8)
    }
    let store = FileKeyStore(path: folder.url.path, newKeys: .passphrase, secrets: dialog)
    let key = try SigningKey.generate()
    let stored = try await importKey(key.pkcs8, as: "release", into: store, dialog)
    #expect(try stored.publicKey == key.publicKey && stored.protection == .passphrase)
    let data = Array("text".utf8)
    let signed = try await signature(of: data, with: "release", from: store)
    #expect(try isValid(signed, of: data, by: PublicKeyFormat.pem.encode(key.publicKey)))
    #expect(try !isValid(signed, of: data + [0], by: PublicKeyFormat.jwk.encode(key.publicKey)))
    #expect(asked.withLock { $0.contains("New passphrase for the key release") })
    // A store that cannot ask says so.
    let silent = FileKeyStore(path: folder.url.path)
    await #expect(throws: KeyStoreError.self) { try await signature(of: data, with: "release", from: silent) }
    _ = keysOfShell(dialog)
    await #expect(throws: KeyStoreError.self) { try await signWithToken(data, "card:work") }
  }

  @Test("the haptics example throws HapticError if there is no device")
  func haptics() async throws {
    await #expect(throws: HapticError.self) {
      try await playTwoPulses(on: RumblePlayer(device: .path("/dev/null")))
    }
    await #expect(throws: HapticError.self) { try await playSuccess(on: RumblePlayer(device: .path("/dev/null"))) }
    _ = try? rumbleDevices()
    await #expect(throws: HapticError.self) {
      let file = Array(#"[{"atMs": 0, "durationMs": 200, "strong": 1, "weak": 0.5}]"#.utf8)
      try await playFile(file, on: RumblePlayer(device: .path("/dev/null")))
    }
  }

  /// Says who sent a message.
  private struct SenderHandler: BridgeHandler {
    let domain = BridgeDomain.haptic

    func handle(
      _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
    ) async throws -> JSONValue { .string("\(request.caller)") }
  }

  @Test("the bridge example answers a message for the origin of its page, and never for the user")
  func bridge() async throws {
    let message =
      #"{"type":"request","version":1,"id":"1","domain":"haptic","method":"isAvailable","params":{},"timestamp":1}"#
    let router = MessageRouter(handlers: [SenderHandler()])
    let answers = Mutex<[String]>([])
    for address in ["https://Desk.example/form?x=1", "about:blank", "file:///etc/passwd"] {
      await answer(message, of: address, with: router) { script in answers.withLock { $0.append(script) } }
    }
    #expect(answers.withLock { $0.count } == 1)
    #expect(answers.withLock { $0.first?.contains("desk.example") } == true)
    await answerOwnMessage(message, with: router)
  }

  @Test("the example without a page and a reader scans the specimen")
  func scan() async throws {
    let answers = Mutex<[String]>([])
    try await scanSpecimen { text in answers.withLock { $0.append(text) } }
    let last = try JSONValue(text: try #require(answers.withLock { $0.last }))
    #expect(last["type"] == "response" && last["success"] == true && last["data"]?["outcome"] == "genuine")
    #expect(answers.withLock { $0.count } > 1)
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
