import CTesseraWebKitGTK

/// Places widgets beside each other, in as many lines as they need.
@MainActor
final class WrapLayout: WidgetLayout {
  let spacing = 8
  var children: [UnsafeMutablePointer<GtkWidget>] = []

  func width() -> Request {
    let requests = children.map { $0.request(GTK_ORIENTATION_HORIZONTAL) }
    let gaps = spacing * max(0, requests.count - 1)
    return Request(
      minimum: requests.map(\.minimum).max() ?? 0, natural: requests.reduce(gaps) { $0 + $1.natural })
  }

  func height(forWidth width: Int) -> Request {
    let lines = lines(in: width)
    let height = lines.reduce(spacing * max(0, lines.count - 1)) { $0 + $1.height }
    return Request(minimum: height, natural: height)
  }

  func allocate(width: Int, height: Int) {
    let isRightToLeft = children.first.map { gtk_widget_get_direction($0) == GTK_TEXT_DIR_RTL } ?? false
    var y = 0
    for line in lines(in: width) {
      var x = 0
      for item in line.items {
        item.widget.place(
          x: isRightToLeft ? width - x - item.width : x, y: y, width: item.width, height: line.height)
        x += item.width + spacing
      }
      y += line.height + spacing
    }
  }

  private struct Line {
    var items: [(widget: UnsafeMutablePointer<GtkWidget>, width: Int)] = []
    var width = 0
    var height = 0
  }

  private func lines(in width: Int) -> [Line] {
    var lines: [Line] = []
    for child in children {
      let request = child.request(GTK_ORIENTATION_HORIZONTAL)
      let length = max(request.minimum, min(request.natural, width))
      let height = child.request(GTK_ORIENTATION_VERTICAL, for: length).natural
      if lines.last.map({ $0.width + spacing + length > width }) ?? true { lines.append(Line()) }
      let index = lines.count - 1
      lines[index].width += length + (lines[index].items.isEmpty ? 0 : spacing)
      lines[index].height = max(lines[index].height, height)
      lines[index].items.append((child, length))
    }
    return lines
  }
}
