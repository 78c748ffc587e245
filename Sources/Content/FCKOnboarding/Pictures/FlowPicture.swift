import CTesseraWebKitGTK
import TesseraThreads

/// A decoded picture of a flow.
///
/// `@unchecked`: GTK's textures cannot be changed, and their count of references is atomic.
final class FlowPicture: @unchecked Sendable {
  /// A `GdkTexture`.
  let texture: OpaquePointer
  /// The bytes of the pixels.
  let cost: Int
  private let budget: PictureBudget

  /// Decodes a file. Blocks.
  ///
  /// - Returns: nil if the file is damaged, or if there is no room in the budget.
  init?(decoding file: PictureFile, in budget: PictureBudget) {
    guard budget.take(file.decodedSize) else { return nil }
    let bytes = file.bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    defer { g_bytes_unref(bytes) }
    var error: UnsafeMutablePointer<GError>?
    let texture = gdk_texture_new_from_bytes(bytes, &error)
    g_clear_error(&error)
    guard let texture else {
      budget.give(file.decodedSize)
      return nil
    }
    self.texture = texture
    self.budget = budget
    cost = file.decodedSize
  }

  deinit {
    g_object_unref(gpointer(texture))
    budget.give(cost)
  }
}
