"""Two locked-down replicas behind nginx."""

import re

from deploy.project import DEPLOY
from server.cli.main import parser
from tests.deploy.dockerfile import stages
from tests.deploy.yaml_files import compose

SERVICES = compose()["services"]
REPLICAS = [SERVICES["replica-1"], SERVICES["replica-2"]]


def upstreams() -> list[str]:
    return re.findall(
        r"^ +server ([\d.:]+) max_fails=0;", (DEPLOY / "nginx" / "nginx.conf").read_text(encoding="utf-8"), re.MULTILINE
    )


def test_no_service_can_write_to_its_root_or_gain_a_privilege() -> None:
    for service in sorted(SERVICES):
        said = SERVICES[service]
        assert said["read_only"] is True, service
        assert said["cap_drop"] == ["ALL"], service
        assert said["security_opt"] == ["no-new-privileges:true"], service
        assert said["mem_limit"], service
        assert said["tmpfs"][0].startswith("/tmp:size="), service
        assert said.get("user", "") != "0", service


def test_the_proxy_knows_each_replica_by_its_fixed_address() -> None:
    port = dict(stages()[-1])["EXPOSE"]
    addresses = [replica["networks"]["inside"]["ipv4_address"] for replica in REPLICAS]
    assert upstreams() == [f"{address}:{port}" for address in addresses]
    assert len(set(addresses)) == 2


def test_the_replicas_reach_nothing_but_the_proxy() -> None:
    assert compose()["networks"]["inside"]["internal"] is True
    assert all(set(replica["networks"]) == {"inside"} and "ports" not in replica for replica in REPLICAS)


def test_serve_knows_the_options_that_a_replica_is_started_with() -> None:
    for replica in REPLICAS:
        options = parser().parse_args(["serve", "--transport", "http", *replica["command"]])
        assert options.tokens == "/run/agent-capabilities/tokens.json", replica
        assert len(options.allowed_host) == 2, replica


def test_without_tls_the_proxy_is_reached_from_this_machine_alone() -> None:
    assert [port.split(":")[0] for port in SERVICES["proxy"]["ports"]] == ["127.0.0.1"]
