/**
 * Programs that tests start and documents mention, which some Debian versions lack or which may not work.
 * test/unit/setup/programs.test.ts compares them with the calls in tests and documents.
 */

export interface DebianProgram {
  /** Its Debian package. */
  readonly package: string;
  /** A call that succeeds if the program works; by default it prints its version. */
  readonly probe?: readonly [string, ...string[]];
}

const programs = {
  aws: { package: "awscli" },
  bindfs: {
    package: "bindfs",
    probe: ["sh", "-c", "bindfs --version && test -w /dev/fuse"],
  },
  busybox: { package: "busybox-static", probe: ["busybox", "true"] },
  caddy: { package: "caddy", probe: ["caddy", "version"] },
  chromium: { package: "chromium", probe: ["/usr/bin/chromium", "--version"] },
  createdb: { package: "postgresql" },
  curl: { package: "curl" },
  docker: { package: "docker.io" },
  "docker-compose": { package: "docker-compose" },
  dockerd: { package: "docker.io" },
  "dpkg-source": { package: "dpkg-dev" },
  etcd: { package: "etcd-server" },
  git: { package: "git" },
  ip: {
    package: "iproute2",
    probe: ["sh", "-c", "ip link add sv-p$$ type bridge && ip link delete sv-p$$"],
  },
  // The newest version that builds Debian's Kubernetes.
  go: { package: "golang-1.19-go", probe: ["/usr/lib/go-1.19/bin/go", "version"] },
  iptables: {
    package: "iptables",
    probe: ["unshare", "--net", "iptables", "--list", "--numeric"],
  },
  // A library, which other programs load.
  libfaketime: {
    package: "libfaketime",
    probe: ["sh", "-c", "for lib in /usr/lib/*/faketime/libfaketimeMT.so.1; do test -e $lib; done"],
  },
  "mkfs.exfat": { package: "exfatprogs", probe: ["test", "-x", "/usr/sbin/mkfs.exfat"] },
  // It mounts loop devices through FUSE.
  "mount.exfat-fuse": {
    package: "exfat-fuse",
    probe: ["sh", "-c", "test -x /usr/sbin/mount.exfat-fuse && test -w /dev/fuse && losetup -f"],
  },
  memcached: { package: "memcached" },
  pg_basebackup: { package: "postgresql" },
  pg_dump: { package: "postgresql" },
  pg_restore: { package: "postgresql" },
  postgres: {
    package: "postgresql",
    probe: [
      "sh",
      "-c",
      "for bin in /usr/lib/postgresql/*/bin; do [ -x $bin/postgres ] && exit; done; exit 1",
    ],
  },
  ps: { package: "procps" },
  // Its containers need a first process, a network and a runtime, which Debian only recommends.
  catatonit: { package: "catatonit" },
  netavark: { package: "netavark", probe: ["/usr/lib/podman/netavark", "--version"] },
  podman: { package: "podman" },
  psql: { package: "postgresql" },
  python3: {
    package: "python3",
    probe: ["python3", "-c", "import asyncio, multiprocessing, urllib.request"],
  },
  rclone: { package: "rclone" },
  // A library that is built into others.
  reflect2: {
    package: "golang-github-modern-go-reflect2-dev",
    probe: ["test", "-e", "/usr/share/gocode/src/github.com/modern-go/reflect2"],
  },
  s3cmd: { package: "s3cmd" },
  // A container may have the program without the right to trace.
  strace: { package: "strace", probe: ["strace", "-f", "-o", "/dev/null", "true"] },
  "swift-account-server": swiftProgram("account-server", "swift-account"),
  "swift-container-server": swiftProgram("container-server", "swift-container"),
  "swift-object-server": swiftProgram("object-server", "swift-object"),
  "swift-proxy-server": swiftProgram("proxy-server", "swift-proxy"),
  "swift-ring-builder": swiftProgram("ring-builder", "swift"),
} satisfies Readonly<Record<string, DebianProgram>>;

export type ProgramName = keyof typeof programs;

export const PROGRAMS: Readonly<Record<ProgramName, DebianProgram>> = programs;

/** Tests run its programs as root. */
function swiftProgram(name: string, inPackage: string): DebianProgram {
  const look = `[ "$(id -u)" = 0 ] && command -v swift-${name}`;
  return { package: inPackage, probe: ["sh", "-c", look] };
}
