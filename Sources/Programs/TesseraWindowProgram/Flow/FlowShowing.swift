import FCKOnboardingFlow
import RampKit
import TesseraCommandLine
import TesseraCore
import TesseraGrants
import TesseraHTTPClient
import TesseraJSON
import TesseraLinuxProviders
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip
import TesseraWindow

/// One showing of a flow with the options of the command line.
struct FlowShowing {
  let options: FlowOptions

  /// - Returns: the exit status.
  func run() -> Int32 {
    MainActor.assumeIsolated { MainLoop.run { await show() } ?? FailureKind.internalError.exitStatus }
  }

  @MainActor
  private func show() async -> Int32 {
    let output = ResultOutput(isJSON: options.json)
    do {
      try MainLoop.openDisplay()
      var document: [UInt8]?
      if let source = options.source { document = try await FlowSource(text: source).bytes() }
      if let document, let screens = ScreensShowing(document, options) { return try await screens.show(output) }
      DesktopPortal.ask()
      var payload: JSONValue?
      let flow = try flow(document, output)
      guard !flow.screens.isEmpty else {
        throw Failure(.usage, "The flow has no screen.", remedy: "“tessera flow check FILE” says what is wrong.")
      }
      let virtual = try options.card.virtualDocument()
      var config = RampKitConfig()
      config.appName = "tessera"
      config.locale = options.locale
      config.onOnboardingFinished = { payload = $0 }
      config.hardware = try hardware(of: flow)
      config.router = .withSystemProviders(
        cards: try options.card.source(virtual?.files, standardWait: LinuxProviders.scanTimeout),
        trust: virtual?.country.map { .fixed(TrustMaterial(testCountry: $0, provesAuthenticity: true)) } ?? .imported)
      await DesktopPortal.settle()
      if let sentence = DesktopPortal.sentence { output.note(sentence) }
      await RampKit.configure(config: config)
      RampKit.setOnboarding(flow, isPartOfProgram: options.source == nil)
      if options.source == nil, let virtual { addDocument(virtual.files) }
      var showing = ShowOnboardingOptions()
      showing.fillsScreen = options.fullScreen
      showing.isHardened = !options.relaxed
      showing.title = flow.onboardingId.map { "\(PrintableText.of($0)) – Tessera" }
      try RampKit.show(showing)
      let signal = EndingSignal { RampKit.closeOnboarding() }
      let outcome = await RampKit.waitUntilClosed() ?? .error
      if let number = signal.number { return 128 + number }
      guard outcome != .error else {
        throw Failure(
          .serviceUnavailable, "The pages of the flow ended unexpectedly.", remedy: "Show the flow again.")
      }
      return output.show(outcome.rawValue, isFinished: outcome == .finished, await RampKit.getAnswers(), payload)
    } catch {
      return output.show(Failure(error))
    }
  }

  private func flow(_ document: [UInt8]?, _ output: ResultOutput) throws -> OnboardingData {
    if options.html {
      throw Failure(.usage, "The flow consists of web pages already.", remedy: "Leave out --html.")
    }
    guard let document else { return SampleFlow.flow }
    var problems: [FlowProblem] = []
    let flow = try OnboardingData(document, problems: &problems)
    if problems.contains(where: { $0.severity == .error }) {
      output.note("Parts of the flow are wrong and left out. “tessera flow check” names them.")
    }
    return flow
  }

  private func hardware(of flow: OnboardingData) throws -> [String: Set<Grant.Permission>] {
    var permissions = Set(try options.grants.map { try Grant.Permission($0) })
    if options.source == nil { permissions.formUnion(SampleFlow.hardware) }
    guard !permissions.isEmpty else { return [:] }
    guard let id = flow.onboardingId else {
      throw Failure(
        .usage, "The flow has no “onboardingId”, so nothing can be granted to it by name.",
        remedy: "Add an id to the document, or leave out --grant.")
    }
    return [id: permissions]
  }

  /// The sample's last page needs what is printed in the document. That of the virtual chip is known.
  @MainActor
  private func addDocument(_ files: ChipFiles) {
    guard let group = files[.dg1], let printed = try? DataGroup1(group).zone.get() else { return }
    let names = SampleFlow.documentVariables
    RampKit.setVariable(names.number, .string(printed.documentNumber))
    RampKit.setVariable(names.dateOfBirth, .string(printed.dateOfBirth))
    RampKit.setVariable(names.dateOfExpiry, .string(printed.dateOfExpiry))
  }
}

/// The place of a flow's document: a file, `-` for standard input, or an https address.
struct FlowSource {
  let text: String

  /// - Throws: `Failure` of the kind `usage` if the file cannot be read, `HTTPError`, or `CancellationError`.
  func bytes() async throws -> [UInt8] {
    let limit = max(FlowLimits.documentSize, FlowConfigLimits.documentSize)
    guard text.contains("://") else { return try RequestFile(path: text, noun: "flow").bytes(upTo: limit) }
    var request = HTTPRequest(try HTTPSAddress(text), sizeLimit: limit, timeLimit: .seconds(30))
    // A flow must change at once when its author changes it.
    request.headers = [("Cache-Control", "no-cache"), ("Pragma", "no-cache")]
    request.redirects = .anyHost
    return try await HTTPSClient().body(of: request)
  }
}
