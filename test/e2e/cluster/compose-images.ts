/** Stand-ins for the images that the compose file pulls, made of programs of this machine: Debian's PostgreSQL, Caddy and Swift. */
import fs from "node:fs";
import { nodeImage } from "../../setup/docker-node-image.ts";
import { type ProgramImage, programImage } from "../../setup/docker-program-image.ts";
import type { TestDocker } from "../../setup/docker.ts";
import { writeSwift } from "../../setup/swift.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const CADDY = "/usr/bin/caddy";
/** Swift's servers within their container. */
const PORTS = { proxy: 8333, account: 6002, container: 6001, object: 6000, memcache: 11_211 };

/** Like the image `postgres`: the first start creates a database and its user. */
const START_POSTGRES = `chown -R 70:70 "$PGDATA"
[ -e "$PGDATA/PG_VERSION" ] || echo "$POSTGRES_PASSWORD" > /tmp/password
[ -e "$PGDATA/PG_VERSION" ] || su postgres -c "initdb -U $POSTGRES_USER -A scram-sha-256 --pwfile=/tmp/password -E UTF8 --locale=C -N"
[ -e "$PGDATA/ready" ] || su postgres -c "echo CREATE DATABASE $POSTGRES_DB | postgres --single -j postgres && touch $PGDATA/ready"
grep -q all.all.all "$PGDATA/pg_hba.conf" || echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
exec su postgres -c "exec postgres -c listen_addresses=* -c unix_socket_directories="`;

/** Answers their names as variables of the compose file. */
export async function composeImages(docker: TestDocker): Promise<Readonly<Record<string, string>>> {
  return {
    SV_NODE_IMAGE: await nodeImage(docker),
    SV_POSTGRES_IMAGE: await postgresImage(docker),
    SV_PROXY_IMAGE: await programImage(docker, {
      name: `sv-test/caddy:${process.pid}`,
      files: [CADDY],
      linked: [CADDY],
      script: 'exec "$@"',
    }),
    SV_S3_IMAGE: await swiftImage(docker),
  };
}

function postgresImage(docker: TestDocker): Promise<string> {
  const home = fs.globSync("/usr/lib/postgresql/*").toSorted().at(-1) ?? "";
  const bin = `${home}/bin`;
  return programImage(docker, {
    name: `sv-test/postgres:${process.pid}`,
    files: [
      bin,
      ...fs.globSync(`${home}/lib/*.so`),
      "/usr/share/postgresql",
      "/usr/share/zoneinfo",
    ],
    linked: fs.globSync(`${bin}/{initdb,pg_isready,postgres}`),
    lines: [
      "RUN echo postgres:x:70:70::/var/lib/postgresql:/bin/sh >> /etc/passwd; mkdir -p /var/lib/postgresql/data",
      `ENV PATH=${bin}:/usr/local/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data`,
    ],
    script: START_POSTGRES,
  });
}

/** Swift with its s3api and the account `test:tester`. */
async function swiftImage(docker: TestDocker): Promise<string> {
  using home = temporaryDirectory();
  await writeSwift(home.path, PORTS);
  const memcached = "/usr/bin/memcached";
  const python = pythonFiles();
  return await programImage(docker, {
    name: `sv-test/swift:${process.pid}`,
    files: [home.path, ...python.files, ...fs.globSync("/usr/bin/swift-*-server"), memcached],
    linked: [...python.linked, memcached],
    script: `cd ${home.path}; mkdir -p node/d1 /etc/swift; cp swift.conf /etc/swift/
sed -i "s/a-secret-for-swift/$AWS_SECRET_ACCESS_KEY/; s/127.0.0.1$/0.0.0.0/" proxy.conf
memcached -u root -l 127.0.0.1 -p ${PORTS.memcache} &
for part in account container object; do /usr/bin/python3 /usr/bin/swift-$part-server $part.conf & done
exec /usr/bin/python3 /usr/bin/swift-proxy-server proxy.conf`,
  });
}

/** Python with all installed Debian packages, and the libraries that these load by name. */
function pythonFiles(): Pick<ProgramImage, "files" | "linked"> {
  const python = "/usr/bin/python3";
  const folders = [...fs.globSync("/usr/lib/python3.*"), "/usr/lib/python3/dist-packages"];
  const loaded = "/usr/lib/*-linux-gnu/{ossl-modules,lib{erasurecode,Xorcode,nullcode}*.so*}";
  return {
    files: [python, ...folders, ...fs.globSync(loaded)],
    linked: [fs.realpathSync(python), ...fs.globSync(`{${folders.join(",")}}/**/*.so`)],
  };
}
