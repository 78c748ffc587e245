/// A picture.
public struct FlowImage: Sendable, Equatable {
  /// `contain` shows all of the picture, `cover` fills the box with a part of it.
  public enum Fit: Sendable { case contain, cover }

  /// As the document says it; only `https` addresses are loaded.
  public var url: String
  /// What a screen reader says.
  public var alt: String?
  public var fit = Fit.contain
  /// In pixels.
  public var borderRadius = 0.0
  public var tapBehaviors: [TapBehavior] = []

  public init(url: String) { self.url = url }
}
