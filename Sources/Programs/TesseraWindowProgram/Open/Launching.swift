import ArgumentParser
import Glibc
import TesseraBridge
import TesseraCommandLine
import TesseraCore
import TesseraDurableFiles
import TesseraGrants
import TesseraJSON
import TesseraLinuxProviders
import TesseraVerification
import TesseraWindow

/// One launch with the options of the command line.
struct Launching {
  let options: OpenOptions

  init(_ options: OpenOptions) { self.options = options }

  /// - Returns: the exit status.
  func run() -> Int32 {
    MainActor.assumeIsolated {
      MainLoop.run { await launch() } ?? FailureKind.internalError.exitStatus
    }
  }

  @MainActor
  private func launch() async -> Int32 {
    let output = ResultOutput(isJSON: options.json)
    do {
      let request = try options.request.map { try RequestFile(path: $0).request() }
      let sdk = try configured()
      if let absence = WebSandbox.absence { output.note(absence) }
      let mode: Launch.Mode =
        options.mode.map { $0 == .wallet ? .selfApp : .embed } ?? (options.kiosk ? .selfApp : .embed)
      let launch = Task { @MainActor in try await sdk.launch(request, mode: mode) }
      let signal = EndingSignal { launch.cancel() }
      do {
        var result = try await launch.value
        // The reference of the session, a secret that the caller has. What is printed here often ends in a log.
        if request?.enterpriseSession != nil { result.verificationId = nil }
        return output.show(result)
      } catch LaunchError.failed(let error) {
        return output.show(error)
      } catch LaunchError.cancelled {
        if let number = signal.number { return 128 + number }
        return output.showCancelled()
      }
    } catch {
      return output.show(Failure(error))
    }
  }

  @MainActor
  private func configured() throws -> SelfSdk {
    let content: LaunchContent =
      options.url.map { .address($0, isDebug: options.debug) } ?? .bundled(.verificationPage)
    var configuration = LaunchConfiguration(content: content)
    configuration.isKiosk = options.kiosk
    configuration.isDebug = options.debug
    let output = ResultOutput(isJSON: options.json)
    configuration.onWaiting = { output.note($0) }
    configuration.onLoadProgress = { progress in if let note = progress.note { output.note(note) } }
    configuration.grants = try options.grants.map { try Grant($0) }
    let registry = SdkProviderRegistry()
    return SelfSdk(configuration, registry, try options.card.router(in: registry))
  }
}

/// A file with the verification request or with a flow, `-` for standard input.
struct RequestFile {
  let path: String
  /// What the file contains, for messages.
  var noun = "verification request"

  private static let maximumLength = 1 << 20

  /// - Throws: `Failure` of the kind `usage` if the file cannot be read, or is not a verification request.
  func request() throws(Failure) -> VerificationRequest {
    let bytes = try bytes(upTo: Self.maximumLength)
    guard let value = try? JSONValue(handwritten: bytes) else {
      throw Failure(
        .usage, "The verification request is not JSON.",
        remedy: #"Write one object, for example {"scope": "hotel", "disclosures": ["surname"]}."#)
    }
    return try VerificationRequest(json: value)
  }

  /// The content of the file.
  ///
  /// - Throws: `Failure` of the kind `usage` if the file cannot be read, or is longer than the limit.
  func bytes(upTo limit: Int) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Failure.unreadable(path, errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure.unreadable(path == "-" ? "Standard input" : path, errno) }
      guard bytes.count <= limit else {
        throw Failure(
          .usage, "The \(noun) \(PrintableText.of(path)) is longer than \(limit) bytes.",
          remedy: "Check that it is the right file.")
      }
      guard count > 0 else { return bytes }
      bytes += buffer.prefix(count)
    }
  }
}

extension CardOptions {
  /// A router to the devices of this system, which reads the card of the options.
  ///
  /// - Parameter registry: receives the providers.
  func router(in registry: SdkProviderRegistry) throws -> MessageRouter {
    let virtual = try virtualDocument()
    return .withSystemProviders(
      registry: registry, cards: try source(virtual?.files, standardWait: LinuxProviders.scanTimeout),
      trust: virtual?.country.map { .fixed(TrustMaterial(testCountry: $0, provesAuthenticity: true)) } ?? .imported)
  }
}

struct OpenCommand: ParsableCommand, WindowCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.open.name, abstract: SiblingCommand.open.abstract, discussion: OpenOptions.discussion)

  @OptionGroup var options: OpenOptions

  func show() -> Int32 { Launching(options).run() }
}
