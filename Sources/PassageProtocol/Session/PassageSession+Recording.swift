internal import TesseraBridge

/// Screenshots and record mode (3.7).
extension PassageSession {
  /// Takes a picture now, and again after the token's interval.
  mutating func takeScreenshots() {
    takeScreenshot()
    start(.screenshot, flags.screenshotInterval)
  }

  mutating func takeScreenshot() {
    guard let kind = flags.screenshot, isPageConsented, !awaitsScreenshot else { return }
    awaitsScreenshot = true
    effects.append(.takeScreenshot(kind, configuration.imageOptimization))
  }

  mutating func took(_ picture: String?) {
    guard awaitsScreenshot else { return }
    awaitsScreenshot = false
    guard let picture = picture.flatMap(PageData.screenshot) else {
      return log("A screenshot could not be taken.")
    }
    // The page may have gone elsewhere meanwhile.
    guard isPageConsented, let address else { return }
    previousScreenshot = screenshot
    screenshot = picture
    sendBrowserState(address, screenshot: picture)
  }

  // MARK: - The end of a recording

  mutating func completeRecording(_ data: JSONValue) {
    guard flags.record, phase == .running else { return log("Nothing is recorded.") }
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
    guard flags.record, phase == .running else { return log("Nothing is recorded.") }
    answerRecorder(data, status: .success)
  }

  private mutating func answerRecorder(_ data: JSONValue?, status: CommandResult.Status) {
    guard let recorder, let command = open.last(where: { $0.command.id.hasBytes(of: recorder.id) }) else {
      return log("The recording's command has a result already.")
    }
    succeed(command.number, data?.ifPresent, status: status)
  }
}
