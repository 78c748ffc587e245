import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A `GtkProgressBar` in the author's colours.
@MainActor
final class ProgressWidget: NodeWidget {
  init(_ node: RenderNode, _ context: WidgetContext) { super.init(node, gtk_progress_bar_new(), context) }

  override var css: String {
    guard case .progressBar(let bar) = node.content else { return super.css }
    let height = CSSText.pixels(RenderProgressBar.height)
    let common =
      "min-height:\(height);border:0;border-radius:\(CSSText.pixels(RenderProgressBar.height / 2));"
      + "background-image:none;box-shadow:none;"
    return super.css + "&>trough{\(common)min-width:0;background-color:\(CSSText.color(bar.trackColor));}"
      + "&>trough>progress{\(common)min-width:0;margin:0;background-color:\(CSSText.color(bar.barColor));}"
  }

  override func redraw() {
    super.redraw()
    guard case .progressBar(let bar) = node.content else { return }
    gtk_progress_bar_set_fraction(OpaquePointer(widget), min(max(0, bar.fraction), 1))
    if let name = node.name { Accessible.setLabel(name, widget) }
  }
}
