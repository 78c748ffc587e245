/// A connected region of ink: a character, a part of one, several that touch, or anything else that is dark.
struct InkComponent {
  /// The box around the region, in pixels; both ends belong to it.
  var left: Int32
  var top: Int32
  var right: Int32
  var bottom: Int32
  /// The number of its pixels.
  var area: Int32

  var center: Point { Point(Float(left + right) / 2, Float(top + bottom) / 2) }
  /// The longer side of the box.
  var size: Float { Float(max(right - left, bottom - top) + 1) }

  private init(row: Int32, from: Int32, through: Int32) {
    (left, right, top, bottom, area) = (from, through, row, row, through - from + 1)
  }

  private mutating func join(_ other: InkComponent) {
    left = min(left, other.left)
    right = max(right, other.right)
    top = min(top, other.top)
    bottom = max(bottom, other.bottom)
    area += other.area
  }

  /// Whether the region may be a character: neither a speck, nor a thin line of a printed pattern, nor a large area.
  private var isCharacterLike: Bool {
    let (width, height) = (right - left + 1, bottom - top + 1)
    return max(width, height) >= 5 && max(width, height) <= 100 && min(width, height) >= 2 && area >= 8
      && area * 9 >= width * height && max(width, height) <= 9 * min(width, height)
  }

  /// The regions that may be characters. Pixels that touch at a corner are connected.
  static func all(in map: InkMap) -> [InkComponent] {
    var regions: [InkComponent] = []
    // The region that each one was joined to; itself if it was not.
    var parents: [Int32] = []
    func root(_ index: Int32) -> Int32 {
      var index = index
      while parents[Int(index)] != index {
        parents[Int(index)] = parents[Int(parents[Int(index)])]
        index = parents[Int(index)]
      }
      return index
    }
    struct Run {
      var from: Int32
      var through: Int32
      var region: Int32
    }
    var above: [Run] = []
    var current: [Run] = []
    let width = map.width
    map.pixels.withElements { pixels in
      let bytes = UnsafeRawBufferPointer(pixels)
      for y in 0..<map.height {
        current.removeAll(keepingCapacity: true)
        var candidate = 0
        let start = y * width
        var x = 0
        while x < width {
          guard pixels[start + x] != 0 else {
            x += 1
            // Most pixels are paper: eight at a time.
            while x + 8 <= width, bytes.loadUnaligned(fromByteOffset: start + x, as: UInt64.self) == 0 { x += 8 }
            continue
          }
          let from = Int32(x)
          while x < width, pixels[start + x] != 0 { x += 1 }
          var run = Run(from: from, through: Int32(x - 1), region: -1)
          while candidate < above.count, above[candidate].through < run.from - 1 { candidate += 1 }
          var next = candidate
          while next < above.count, above[next].from <= run.through + 1 {
            let region = root(above[next].region)
            if run.region < 0 {
              run.region = region
              regions[Int(region)].join(InkComponent(row: Int32(y), from: run.from, through: run.through))
            } else if run.region != region {
              // The other region ends here.
              parents[Int(region)] = run.region
              regions[Int(run.region)].join(regions[Int(region)])
            }
            next += 1
          }
          if run.region < 0 {
            run.region = Int32(regions.count)
            regions.append(InkComponent(row: Int32(y), from: run.from, through: run.through))
            parents.append(run.region)
          }
          current.append(run)
        }
        swap(&above, &current)
      }
    }
    return regions.indices.lazy.filter { parents[$0] == Int32($0) }.map { regions[$0] }.filter(\.isCharacterLike)
  }
}
