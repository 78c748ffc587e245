/// Makes a device rumble. All of it is an extra: without a device nothing happens.
public protocol HapticProvider: Sendable {
  func isAvailable() async -> Bool
  /// - Parameter style: `light`, `medium`, `heavy`, `rigid` or `soft`.
  func impact(_ style: String) async
  /// - Parameter type: `success`, `warning` or `error`.
  func notification(_ type: String) async
  func selection() async
}
