import CTesseraWebKitGTK
import TesseraBridge
import TesseraLinuxProviders
import TesseraMRZRecognition
import TesseraPictures
import TesseraThreads
import TesseraWebContent

/// The camera's picture over the page of one window.
final class WindowViewfinder: CameraViewfinding {
  @MainActor private weak var window: ContentWindow?
  @MainActor private var panel: ContentPanel?
  /// The newest picture that the main thread has not shown yet.
  private let newest = Locked<(OutlinedFrame, advice: String)?>(nil)

  @MainActor init() {}

  @MainActor func attach(to window: ContentWindow) { self.window = window }

  func begin(_ request: CameraMrzRequest, cancel: @escaping @Sendable () -> Void) async {
    await open(request, cancel)
  }

  func show(_ frame: GrayPicture, _ reading: MRZReading) { show(frame, reading.outlines, reading.state.advice) }

  func show(_ frame: GrayPicture, _ sight: SealSight) { show(frame, sight.outlines, sight.advice) }

  private func show(_ frame: GrayPicture, _ outlines: [[Point]], _ advice: String) {
    let image = OutlinedFrame(frame, outlines, width: 640, height: 480)
    let isFirst = newest.withLock { newest in
      defer { newest = (image, advice) }
      return newest == nil
    }
    if isFirst { Task { @MainActor in showNewest() } }
  }

  func end() async { await close() }

  @MainActor private func open(_ request: CameraMrzRequest, _ cancel: @escaping @Sendable () -> Void) {
    close()
    guard let window else { return cancel() }
    guard let panel = window.openPanel(label: "The picture of the camera", button: "Cancel", onPress: cancel) else {
      // The window was closed in the meantime: nobody would see that the camera runs.
      return cancel()
    }
    panel.say("The camera starts ...")
    if let place = place(request.scanRect, window) {
      panel.move(x: place.x, y: place.y, width: place.width, height: place.height)
    }
    self.panel = panel
  }

  /// The rectangle of the page, if the panel with its text and its button is inside the window there. A page must not
  /// hide that the camera runs.
  @MainActor private func place(
    _ rectangle: CameraMrzRequest.Rectangle?, _ window: ContentWindow
  ) -> CameraMrzRequest.Rectangle? {
    guard var place = rectangle else { return nil }
    // The page counts pixels of the screen, GTK those of the desktop's scale.
    let scale = Double(
      gtk_widget_get_scale_factor(UnsafeMutableRawPointer(window.window).assumingMemoryBound(to: GtkWidget.self)))
    place.x /= scale
    place.y /= scale
    place.width /= scale
    place.height /= scale
    let size = window.contentSize
    guard place.width >= 160, place.height >= 90, place.x >= 0, place.y >= 0,
      place.x + place.width <= Double(size.width),
      place.y + place.height + ContentPanel.footHeight <= Double(size.height)
    else { return nil }
    return place
  }

  @MainActor private func showNewest() {
    let next = newest.withLock { newest in
      defer { newest = nil }
      return newest
    }
    guard let panel, let (image, advice) = next else { return }
    image.pixels.withElements { panel.show($0, width: image.width, height: image.height) }
    panel.say(advice)
  }

  @MainActor private func close() {
    guard let panel else { return }
    self.panel = nil
    window?.closePanel(panel)
  }
}
