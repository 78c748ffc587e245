import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge
import TesseraHTTPClient

/// Pictures that are shown, and those that are refused.
@MainActor
enum Pictures {
  static func run(_ arguments: [String]) async throws {
    let server = StubServer { request in
      switch request.address.text {
      case "https://cdn.example.org/wide.png":
        HTTPResponse(status: 200, body: TestPicture.png(width: 4097, height: 1))
      case "https://cdn.example.org/bomb.png":
        // 50 MB of pixels in 330 KB.
        HTTPResponse(status: 200, body: TestPicture.black(width: 4097, height: 4097))
      case "https://cdn.example.org/text.png": HTTPResponse(status: 200, body: Array("<svg/>".utf8))
      case "https://cdn.example.org/damaged.png":
        HTTPResponse(status: 200, body: TestPicture.header(width: 10, height: 10))
      case "https://cdn.example.org/gone.png": HTTPResponse(status: 404)
      case "https://cdn.example.org/large.png": throw HTTPError.tooLarge(limit: request.sizeLimit)
      default: HTTPResponse(status: 200, body: TestPicture.png(width: 40, height: 30))
      }
    }
    for name in ["good", "wide", "bomb", "text", "damaged", "gone", "large"] {
      observe(name, try await shown("https://cdn.example.org/\(name).png", server))
    }
    observe("http", try await shown("http://cdn.example.org/good.png", server))
    observe("file", try await shown("file:///etc/hostname", server))
    // A second showing finds the picture in the memory.
    observe("requests", .array(server.requested.map { .string($0) }))
    let loader = PictureLoader(transport: server)
    observe("cached", try await cached(loader, server))
    observe("budget", try await budget(server))
  }

  /// How many pictures of a flow are drawn in a memory for two of three.
  private static func budget(_ server: StubServer) async throws -> JSONValue {
    let names = ["one", "two", "three"]
    let images = names.map {
      #"{"id": "\#($0)", "type": "image", "url": "https://cdn.example.org/budget-\#($0).png"}"#
    }
    let document = """
      {"version": 1, "screens": [{"id": "a", "type": "informational", "root": {"id": "r", "type": "stack",
        "children": [\(images.joined(separator: ", "))]}}]}
      """
    var problems: [FlowProblem] = []
    var services = FCKServices.recorded(transport: server)
    services.pictureMemory = 2 * 40 * 30 * 4 + 1
    let shown = try await ShownFlow(try FlowConfig(Array(document.utf8), problems: &problems), services: services)
    let widgets = names.compactMap { shown.view.widget(of: $0) }
    try await shown.until {
      widgets.flatMap { WidgetTree.all("GtkSpinner", in: $0) }.map(OpaquePointer.init)
        .allSatisfy { gtk_spinner_get_spinning($0) == 0 }
    }
    let drawn = widgets.flatMap { WidgetTree.all("GtkPicture", in: $0) }.map(OpaquePointer.init)
      .filter { gtk_picture_get_paintable($0) != nil }
    await shown.close()
    return [.integer(Int64(widgets.count)), .integer(Int64(drawn.count))]
  }

  /// Whether the picture of a flow is drawn, and whether it waits.
  private static func shown(_ address: String, _ server: StubServer) async throws -> JSONValue {
    let document = """
      {"version": 1, "screens": [{"id": "a", "type": "informational", "root": {"id": "r", "type": "stack",
        "children": [{"id": "pic", "type": "image", "url": "\(address)", "alt": "A cat"}]}}]}
      """
    var problems: [FlowProblem] = []
    let flow = try FlowConfig(Array(document.utf8), problems: &problems)
    let shown = try await ShownFlow(flow, services: .recorded(transport: server))
    guard let widget = shown.view.widget(of: "pic"),
      let picture = WidgetTree.first("GtkPicture", in: widget),
      let spinner = WidgetTree.first("GtkSpinner", in: widget)
    else { return "nothing" }
    try await shown.until { gtk_spinner_get_spinning(OpaquePointer(spinner)) == 0 }
    let isDrawn = gtk_picture_get_paintable(OpaquePointer(picture)) != nil
    let alternative = gtk_picture_get_alternative_text(OpaquePointer(picture)).map { String(cString: $0) } ?? ""
    await shown.close()
    return .string("\(isDrawn ? "drawn" : "place holder"), \(alternative)")
  }

  private static func cached(_ loader: PictureLoader, _ server: StubServer) async throws -> JSONValue {
    let before = server.requested.count
    async let first = loader.isLoadable("https://cdn.example.org/again.png")
    async let second = loader.isLoadable("https://cdn.example.org/again.png")
    let both = await [first, second]
    let third = await loader.isLoadable("https://cdn.example.org/again.png")
    return [.bool(both == [true, true] && third), .integer(Int64(server.requested.count - before))]
  }
}
