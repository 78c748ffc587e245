import ArgumentParser
import TesseraBridge
import TesseraCommandLine
import TesseraCore
import TesseraKiosk
import TesseraWindow

struct KioskCommand: ParsableCommand, WindowCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.kiosk.name, abstract: SiblingCommand.kiosk.abstract,
    discussion: KioskOptions.discussion)

  @OptionGroup var options: KioskOptions

  func show() -> Int32 {
    MainActor.assumeIsolated {
      MainLoop.run { await KioskShowing(options: options).run() } ?? FailureKind.internalError.exitStatus
    }
  }
}

/// One guest after the other.
@MainActor
struct KioskShowing {
  let options: KioskOptions

  /// A page that ends its launch sooner than this waits before the next one.
  private static let shortLaunch = Duration.seconds(2)

  /// - Returns: the exit status.
  func run() async -> Int32 {
    let output = ResultOutput(isJSON: false)
    do {
      let settings = try options.guestBook { output.note($0) }
      let book = try GuestBook(settings) { output.note($0) }
      let sdk = try configured(book, settings)
      if !SelfSdk.isSandboxed {
        output.note("Pages run without a sandbox here. Install bubblewrap and allow user namespaces.")
      }
      // A key that does not answer must not keep the screen black.
      if let (_, signer) = settings.destination { Task { await prepare(signer, output) } }
      let recording = Task { await book.run() }
      let showing = Task { @MainActor in await show(sdk, output) }
      let signal = EndingSignal { showing.cancel() }
      let status = await showing.value
      recording.cancel()
      await book.finish()
      return signal.number.map { 128 + $0 } ?? status
    } catch {
      return output.show(Failure(error))
    }
  }

  /// A key that does not answer now may answer later: no guest is sent away for that.
  private func prepare(_ signer: ResultSigner, _ output: ResultOutput) async {
    do {
      _ = try await signer.prepare()
    } catch {
      output.note("Results cannot be signed now: \(Failure(error).description)")
    }
  }

  /// - Returns: the exit status, when a launch has failed or the task was cancelled.
  private func show(_ sdk: SelfSdk, _ output: ResultOutput) async -> Int32 {
    let backoff = Backoff(longest: .seconds(30))
    var shortLaunches = 0
    while !Task.isCancelled {
      let start = ContinuousClock.now
      do {
        _ = try await sdk.launch(nil, mode: .selfApp)
      } catch {
        // The other end is that of a page that ended itself, or by the signal.
        if case .failed(let problem) = error {
          let status = output.show(problem)
          if problem.source == .host { return status }
        }
      }
      shortLaunches = ContinuousClock.now - start < Self.shortLaunch ? shortLaunches + 1 : 0
      guard shortLaunches < options.failures else {
        output.note("The page ended itself at once, \(shortLaunches) times in a row.")
        return FailureKind.serviceUnavailable.exitStatus
      }
      if shortLaunches > 0 { try? await Task.sleep(for: backoff.delay(after: shortLaunches)) }
    }
    return 0
  }

  private func configured(_ book: GuestBook, _ settings: GuestBook.Settings) throws -> SelfSdk {
    let output = ResultOutput(isJSON: false)
    let content = try options.content(hasResults: settings.hasEffect)
    var configuration = LaunchConfiguration(content: .bundled(content))
    configuration.isKiosk = true
    configuration.onWaiting = { output.note($0) }
    let status = book.status
    configuration.unattended = UnattendedKiosk(
      restarts: RestartPolicy(mostFailures: options.failures), events: { status.events() }, log: { output.note($0) })
    let registry = SdkProviderRegistry()
    let router = try options.card.router(in: registry)
    registry.register { providers in
      providers.nfc = providers.nfc.map { nfc in RecordingNfcProvider(nfc) { await book.record($0) } }
      // No result is kept of a seal, so no page offers one beside results.
      if settings.hasEffect { providers.cameraSeal = nil }
      if let (_, signer) = settings.destination {
        providers.crypto = providers.crypto.map { ReservedKeyCryptoProvider($0, reserved: signer.name) }
      }
    }
    return SelfSdk(configuration, registry, router)
  }
}
