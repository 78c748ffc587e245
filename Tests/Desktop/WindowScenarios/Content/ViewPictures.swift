import TesseraBridge
import TesseraWebContent

/// Pictures of a hidden view. Arguments: the port of `site.py`, and the folder for the pictures.
@MainActor
enum ViewPictures {
  static func run(_ arguments: [String]) async throws {
    let folder = arguments.count > 1 ? arguments[1] : "/proc/nonexistent"
    let one = SiteView(arguments)
    do {
      _ = try await one.view.picture(.init(format: .png, maximumWidth: 100, maximumHeight: 100))
      observe("before the first page", "a picture")
    } catch { observe("before the first page", "none") }
    one.window.setShown(false, one.view)
    try await one.show("/plain.html")
    try await letPass(.milliseconds(500))
    for (name, options) in [
      ("small.png", ContentPicture.Options(format: .png, maximumWidth: 320, maximumHeight: 1_000)),
      ("flat.png", ContentPicture.Options(format: .png, maximumWidth: 1_000, maximumHeight: 120)),
      ("whole.jpeg", ContentPicture.Options(format: .jpeg(quality: 0.6), maximumWidth: 4_000, maximumHeight: 4_000)),
    ] { try await keep(one.view.picture(options), name, folder) }
    one.window.setShown(true, one.view)
    try await keep(
      ContentPicture.picture(
        of: one.window.contentWidget, .init(format: .png, maximumWidth: 640, maximumHeight: 480)),
      "window.png", folder)
    one.close()
  }

  private static func keep(_ picture: ContentPicture, _ name: String, _ folder: String) async throws {
    try picture.write(to: "\(folder)/\(name)")
    observe(
      name,
      [
        "width": .integer(Int64(picture.width)), "height": .integer(Int64(picture.height)),
        "mediaType": .string(picture.mediaType),
      ])
  }
}
