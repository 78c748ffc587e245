import CTesseraWebKitGTK

/// A picture of a page or a widget.
package struct ContentPicture: Sendable, Equatable {
  package enum Format: Sendable, Equatable {
    /// - Parameter quality: 0…1.
    case jpeg(quality: Double)
    case png
  }

  /// How a picture is written: it is made smaller until it fits.
  package struct Options: Sendable, Equatable {
    package var format: Format
    package var maximumWidth: Int
    package var maximumHeight: Int

    package init(format: Format, maximumWidth: Int, maximumHeight: Int) {
      self.format = format
      self.maximumWidth = maximumWidth
      self.maximumHeight = maximumHeight
    }
  }

  package let width: Int
  package let height: Int
  package let mediaType: String
  package let bytes: [UInt8]

  /// - Throws: `ContentFailure.loadFailed` if there is nothing to see, or the picture cannot be written.
  @MainActor
  init(_ texture: OpaquePointer, _ options: Options) throws {
    guard let whole = gdk_pixbuf_get_from_texture(texture) else { throw Self.unreadable }
    defer { g_object_unref(gpointer(whole)) }
    let size = Self.size(
      width: Int(gdk_pixbuf_get_width(whole)), height: Int(gdk_pixbuf_get_height(whole)), within: options)
    guard let size,
      let scaled = gdk_pixbuf_scale_simple(whole, gint(size.width), gint(size.height), GDK_INTERP_BILINEAR)
    else { throw Self.unreadable }
    defer { g_object_unref(gpointer(scaled)) }
    (width, height) = size
    switch options.format {
    case .png:
      mediaType = "image/png"
      bytes = try Self.write(scaled, "png", [:])
    case .jpeg(let quality):
      mediaType = "image/jpeg"
      let percent = quality.isFinite ? Int((min(1, max(0, quality)) * 100).rounded()) : 60
      bytes = try Self.write(scaled, "jpeg", ["quality": String(percent)])
    }
  }

  /// The picture as an address that contains it.
  package var dataAddress: String {
    let text = bytes.withUnsafeBytes { g_base64_encode($0.baseAddress, gsize($0.count)) }
    return "data:\(mediaType);base64,\(takenText(text) ?? "")"
  }

  /// Writes the picture to a file.
  package func write(to path: String) throws {
    var error: UnsafeMutablePointer<GError>?
    let isWritten = bytes.withUnsafeBytes {
      g_file_set_contents(path, $0.baseAddress, gssize($0.count), &error) != 0
    }
    if !isWritten { throw ContentFailure.loadFailed(reason: AsyncCallback.message(&error)) }
  }

  /// The size of a picture that fits, with the same proportions; nil for an empty picture.
  static func size(width: Int, height: Int, within options: Options) -> (width: Int, height: Int)? {
    guard width > 0, height > 0 else { return nil }
    let limits = (width: max(1, options.maximumWidth), height: max(1, options.maximumHeight))
    let factor = min(1, Double(limits.width) / Double(width), Double(limits.height) / Double(height))
    return (
      max(1, min(limits.width, Int(Double(width) * factor))), max(1, min(limits.height, Int(Double(height) * factor)))
    )
  }

  private static var unreadable: ContentFailure { .loadFailed(reason: "There is no picture of the page.") }

  private static func write(
    _ picture: OpaquePointer, _ type: String, _ options: [String: String]
  ) throws -> [UInt8] {
    var keys = options.keys.map { g_strdup($0) } + [nil]
    var values = options.values.map { g_strdup($0) } + [nil]
    defer { for text in keys + values { g_free(text) } }
    var buffer: UnsafeMutablePointer<CChar>?
    var count: gsize = 0
    var error: UnsafeMutablePointer<GError>?
    guard gdk_pixbuf_save_to_bufferv(picture, &buffer, &count, type, &keys, &values, &error) != 0, let buffer else {
      throw ContentFailure.loadFailed(reason: AsyncCallback.message(&error))
    }
    defer { g_free(buffer) }
    return [UInt8](UnsafeRawBufferPointer(start: buffer, count: Int(count)))
  }
}
