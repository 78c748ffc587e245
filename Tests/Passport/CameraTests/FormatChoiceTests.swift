import Testing

@testable import TesseraCamera

@Suite("Choice of a camera's format")
struct FormatChoiceTests {
  private static func best(_ offers: (StaticString, [(Int, Int, Double?)])...) -> String? {
    let choice = FormatChoice.ranked(
      offers.map { offer in
        (PixelFormat(offer.0), offer.1.map { CameraNode.Size(width: $0.0, height: $0.1, rate: $0.2) })
      })
    return choice.first.map { "\($0.format) \($0.width)x\($0.height)" }
  }

  @Test("takes 1280x720 without compression where that reaches 15 frames a second, else MJPEG")
  func compression() {
    #expect(
      Self.best(
        ("MJPG", [(1920, 1080, 30), (1280, 720, 30), (640, 480, 30)]),
        ("YUYV", [(640, 480, 30), (1280, 720, 10), (1920, 1080, 5)])) == "MJPG 1280x720")
    #expect(
      Self.best(("MJPG", [(1280, 720, 60)]), ("YUYV", [(640, 480, 30), (1280, 720, 15)])) == "YUYV 1280x720")
    // Some drivers round the rate down.
    #expect(Self.best(("MJPG", [(1280, 720, 30)]), ("YUYV", [(1280, 720, 14.985)])) == "YUYV 1280x720")
  }

  @Test("takes what is nearest to that: rather more pixels than fewer, rather slower than too few pixels")
  func nearest() {
    #expect(Self.best(("YUYV", [(640, 480, 30), (1920, 1080, 30)])) == "YUYV 1920x1080")
    #expect(Self.best(("YUYV", [(640, 480, 30), (800, 600, 30), (320, 240, 60)])) == "YUYV 800x600")
    #expect(Self.best(("YUYV", [(640, 480, 25), (1280, 720, 12.5)])) == "YUYV 1280x720")
    #expect(Self.best(("YUYV", [(640, 480, 25), (1280, 720, 1)])) == "YUYV 640x480")
    #expect(Self.best(("MJPG", [(4096, 2160, 30), (1280, 960, 30)])) == "MJPG 1280x960")
  }

  @Test("asks for 1280x720 where the driver states no sizes, and ignores impossible ones")
  func unknown() {
    #expect(Self.best(("NV12", [])) == "NV12 1280x720")
    #expect(Self.best(("YUYV", [(1280, 720, nil)]), ("MJPG", [(1280, 720, 30)])) == "YUYV 1280x720")
    #expect(Self.best(("YUYV", [(0, 720, 30), (1280, 0, 30)])) == nil)
    #expect(Self.best() == nil)
    // The cheapest to decode.
    #expect(Self.best(("YUYV", []), ("MJPG", []), ("GREY", []), ("NV12", [])) == "GREY 1280x720")
    #expect(Self.best(("YUYV", [(640, 480, 0)]), ("YUYV", [(640, 360, -5)])) == "YUYV 640x480")
  }

  @Test("the nearest size in a range with steps")
  func range() {
    #expect(CameraNode.nearest(1280, 16, 16384, 2) == 1280)
    #expect(CameraNode.nearest(1280, 16, 1024, 16) == 1024)
    #expect(CameraNode.nearest(1280, 2000, 4000, 8) == 2000)
    #expect(CameraNode.nearest(1280, 1, 4000, 1000) == 1001)
    // What a driver must not say.
    #expect(CameraNode.nearest(1280, 16, 16384, 0) == 1280)
    #expect(CameraNode.nearest(1280, 900, 100, 8) == 100)
    #expect(CameraNode.nearest(Int.max, 0, .max, .max) == .max)
    #expect(CameraNode.nearest(-1, 0, 0, 0) == 0)
  }
}
