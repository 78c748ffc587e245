internal import TesseraPictures

/// What a layer of a network computes from a picture, by row, column, channel, in margins of zeros. It still shows the
/// document: the memory is overwritten before it is freed.
struct NetworkMap {
  let rows: Int
  let columns: Int
  let channels: Int
  /// Rows above and below, columns at both sides.
  private let margins: (rows: Int, columns: Int)
  private let values: WipedMemory<Float>

  /// The values of a row with its margins.
  private var stride: Int { (columns + 2 * margins.columns) * channels }

  /// - Parameter initialize: writes the values that are not zero, each row from the index that the first parameter gives.
  init(
    rows: Int, columns: Int, channels: Int, margins: (rows: Int, columns: Int),
    initializingWith initialize: (_ start: (_ row: Int) -> Int, UnsafeMutableBufferPointer<Float>) -> Void
  ) {
    (self.rows, self.columns, self.channels, self.margins) = (rows, columns, channels, margins)
    let stride = (columns + 2 * margins.columns) * channels
    values = WipedMemory(repeating: 0, count: (rows + 2 * margins.rows) * stride) { memory in
      initialize({ ($0 + margins.rows) * stride + margins.columns * channels }, memory)
    }
  }

  /// A convolution over the map and its margins, rectified.
  ///
  /// - Parameter margins: those of the new map.
  func convolved(
    by layer: NetworkLayer, kernel: (rows: Int, columns: Int), steps: (rows: Int, columns: Int),
    margins: (rows: Int, columns: Int)
  ) -> NetworkMap {
    let rows = (rows + 2 * self.margins.rows - kernel.rows) / steps.rows + 1
    let columns = (columns + 2 * self.margins.columns - kernel.columns) / steps.columns + 1
    let window = NetworkLayer.Window(
      runs: kernel.rows, length: kernel.columns * channels, stride: stride, step: steps.columns * channels)
    return NetworkMap(rows: rows, columns: columns, channels: layer.channels, margins: margins) { start, memory in
      values.withElements { values in
        for row in 0..<rows {
          layer.apply(
            window, to: UnsafeBufferPointer(rebasing: values[(row * steps.rows * stride)...]), positions: columns,
            into: UnsafeMutableBufferPointer(rebasing: memory[start(row)...]), rectify: true)
        }
      }
    }
  }

  /// Each position of a map of one row, plus what a layer sees at the position and at a distance on both sides, rectified.
  ///
  /// - Parameter distance: at most the margin.
  func withContext(_ layer: NetworkLayer, distance: Int) -> NetworkMap {
    NetworkMap(rows: 1, columns: columns, channels: channels, margins: margins) { start, memory in
      values.withElements { values in
        let first = start(0)
        layer.apply(
          NetworkLayer.Window(runs: 3, length: channels, stride: distance * channels, step: channels),
          to: UnsafeBufferPointer(rebasing: values[(first - distance * channels)...]), positions: columns,
          into: UnsafeMutableBufferPointer(rebasing: memory[first...]), rectify: true)
        for index in first..<first + columns * channels { memory[index] += values[index] }
      }
    }
  }

  /// The weighted sums of a layer at each position of a map of one row.
  func sums(_ layer: NetworkLayer) -> NetworkMap {
    NetworkMap(rows: 1, columns: columns, channels: layer.channels, margins: (0, 0)) { start, memory in
      values.withElements { values in
        layer.apply(
          NetworkLayer.Window(length: channels, step: channels),
          to: UnsafeBufferPointer(rebasing: values[(margins.columns * channels)...]), positions: columns, into: memory,
          rectify: false)
      }
    }
  }

  /// The channels of a column of a map of one row, valid during the call only.
  func withChannels(_ column: Int, _ body: (UnsafeBufferPointer<Float>) -> Void) {
    let first = (margins.columns + column) * channels
    values.withElements { body(UnsafeBufferPointer(rebasing: $0[first..<first + channels])) }
  }
}
