"""Two replicas that read a store, and the stores they can read."""

import re

from deploy.project import DEPLOY
from tests.deploy.yaml_files import compose

SAID = compose("compose.stores.yaml")
SERVICES = SAID["services"]
STORES = sorted(name for name, service in SERVICES.items() if "profiles" in service)


def test_each_form_of_store_is_a_profile() -> None:
    profiles = {profile for name in STORES for profile in SERVICES[name]["profiles"]}
    assert profiles == {"postgres", "milvus", "milvus-cluster"}
    assert sorted(SERVICES.keys() - {*STORES}) == ["replica-1", "replica-2"]


def test_a_store_publishes_no_port() -> None:
    for name in STORES:
        assert "ports" not in SERVICES[name], name
        assert "network_mode" not in SERVICES[name], name


def test_a_replica_is_reached_from_this_machine_alone() -> None:
    for name in ["replica-1", "replica-2"]:
        assert [port.split(":")[0] for port in SERVICES[name]["ports"]] == ["127.0.0.1"], name


def test_every_service_is_locked_down_watched_and_limited() -> None:
    for name in sorted(SERVICES):
        service = SERVICES[name]
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["healthcheck"]["test"][0] == "CMD", name
        assert service["mem_limit"], name


def test_images_are_of_one_version() -> None:
    for name in STORES:
        assert re.fullmatch(r"[a-z0-9./-]+:(?!latest)\S*\d\S*", SERVICES[name]["image"]), name


def test_there_is_no_password_but_the_one_that_must_be_given() -> None:
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|SECRET|TOKEN", variable):
                assert "${STORE_PASSWORD" in value, (name, variable)
    text = (DEPLOY / "compose.stores.yaml").read_text(encoding="utf-8")
    assert "${STORE_PASSWORD:?" in text
    assert "${STORE_PASSWORD:-" not in text


def test_the_proxy_of_a_cluster_has_the_name_of_a_single_server() -> None:
    for name in ("milvus-standalone", "milvus-proxy"):
        assert SERVICES[name]["networks"]["stores"]["aliases"] == ["milvus"]
    assert {*SERVICES["milvus-standalone"]["profiles"]}.isdisjoint(SERVICES["milvus-proxy"]["profiles"])
