import Foundation
import ReRune

/// "1 file", "5 files"; in Russian "2 файла", "5 файлов".
func files(_ count: Int) -> String {
  String(format: reRuneString("files", count: count, value: "%lld files"), count)
}
