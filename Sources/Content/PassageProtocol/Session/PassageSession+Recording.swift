internal import TesseraJSON

/// Screenshots and record mode (Passage.md, rule 13).
extension PassageSession {
  /// Takes a picture now, and again after the token's interval.
  mutating func takeScreenshots() {
    takeScreenshot()
    start(.screenshot, flags.screenshotInterval)
  }

  /// What a picture may show now; nil for none. One of the whole window shows no page of another site: neither in the
  /// UI view, nor in a popup or a sheet.
  var permittedScreenshot: ScreenshotKind? {
    guard let kind = flags.screenshot, isPageConsented else { return nil }
    return kind == .modal && (isUIElsewhere || popups > 0 || hasWebsite) ? nil : kind
  }

  /// Whether a picture with this number shows what the user agreed to: a page may have come and gone meanwhile.
  func mayHaveScreenshot(since number: Int) -> Bool {
    guard let kind = permittedScreenshot, isConsented(since: number) else { return false }
    return kind == .automation || number > lastStrayWindow
  }

  mutating func takeScreenshot() {
    guard let kind = permittedScreenshot, awaitedScreenshot == nil else { return }
    awaitedScreenshot = number()
    effects.append(.takeScreenshot(kind, configuration.imageOptimization))
  }

  mutating func took(_ picture: String?) {
    guard let number = awaitedScreenshot else { return }
    awaitedScreenshot = nil
    guard let picture = picture.flatMap(PageData.screenshot) else {
      return log("A screenshot could not be taken.")
    }
    guard mayHaveScreenshot(since: number), let address else { return }
    previousScreenshot = screenshot
    screenshot = picture
    sendBrowserState(address, screenshot: picture)
  }

  // MARK: - The end of a recording

  mutating func completeRecording(_ data: JSONValue) {
    guard isRecording else { return log("Nothing is recorded.") }
    isLockedToUI = true
    show(.ui)
    recordingData = data
    start(.recording, SessionTiming.recording)
  }

  mutating func completeRecording() {
    answerRecorder(recordingData, status: .done)
    recordingData = nil
    completeKnownConnection()
  }

  mutating func captureRecordingData(_ data: JSONValue) {
    guard isRecording else { return log("Nothing is recorded.") }
    answerRecorder(data, status: .success)
  }

  var isRecording: Bool { flags.record && phase == .running }

  /// The command that waits for the recording.
  var openRecording: OpenCommand? {
    recorder.flatMap { recorder in open.last { $0.command.id.hasBytes(of: recorder.id) } }
  }

  private mutating func answerRecorder(_ data: JSONValue?, status: CommandResult.Status) {
    guard let command = openRecording else {
      return log("The recording's command has a result already.")
    }
    succeed(command.number, data?.ifPresent, status: status)
  }
}
