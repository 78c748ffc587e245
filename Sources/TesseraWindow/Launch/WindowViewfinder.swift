#if canImport(CTesseraWebKitGTK)
  import CTesseraWebKitGTK
  import Tessera
  import TesseraBridge
  import TesseraMRZRecognition
  import TesseraThreads
  import TesseraWebContent

  /// The camera's picture over the page of one window.
  final class WindowViewfinder: CameraViewfinding {
    @MainActor private weak var window: ContentWindow?
    @MainActor private var panel: ContentPanel?
    /// The newest picture that the main thread has not shown yet.
    private let newest = Locked<(OutlinedFrame, MRZReading.State)?>(nil)

    @MainActor init() {}

    @MainActor func attach(to window: ContentWindow) { self.window = window }

    func begin(_ request: CameraMrzRequest, cancel: @escaping @Sendable () -> Void) async {
      await open(request, cancel)
    }

    func show(_ frame: GrayPicture, _ reading: MRZReading) {
      let image = OutlinedFrame(frame, reading.outlines, width: 640, height: 480)
      let isFirst = newest.withLock { newest in
        defer { newest = (image, reading.state) }
        return newest == nil
      }
      if isFirst { Task { @MainActor in showNewest() } }
    }

    func end() async { await close() }

    @MainActor private func open(_ request: CameraMrzRequest, _ cancel: @escaping @Sendable () -> Void) {
      close()
      guard let window else { return }
      let panel = window.openPanel(label: "The picture of the camera", button: "Cancel", onPress: cancel)
      panel.say("The camera starts ...")
      if let rectangle = request.scanRect, rectangle.width >= 160, rectangle.height >= 90 {
        // The page counts pixels of the screen, GTK those of the desktop's scale.
        let scale = Double(
          gtk_widget_get_scale_factor(UnsafeMutableRawPointer(window.window).assumingMemoryBound(to: GtkWidget.self)))
        panel.place(
          x: rectangle.x / scale, y: rectangle.y / scale, width: rectangle.width / scale,
          height: rectangle.height / scale)
      }
      self.panel = panel
    }

    @MainActor private func showNewest() {
      let next = newest.withLock { newest in
        defer { newest = nil }
        return newest
      }
      guard let panel, let (image, state) = next else { return }
      panel.show(image.pixels, width: image.width, height: image.height)
      panel.say(state.advice)
    }

    @MainActor private func close() {
      guard let panel else { return }
      self.panel = nil
      window?.closePanel(panel)
    }
  }
#endif
